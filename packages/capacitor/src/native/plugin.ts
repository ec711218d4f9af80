/** What both native halves answer to. */
import { type PluginListenerHandle, registerPlugin } from '@capacitor/core';
import type { Attribution, Consent, CreatedLink, DeepLink, Explanation, LogEntry } from '@throughline/core';
import type { CapacitorConfig } from '../client.ts';

export const PLUGIN_NAME = 'Throughline';

export interface CreateOptions extends Omit<CapacitorConfig, 'onLog'> {
  /** What the app says of the person; absent if it says nothing. */
  readonly existingUser?: boolean;
}

/** Objects of the app cross as JSON text: what JSON cannot write fails in JavaScript, where the log can say it. */
export interface ThroughlinePlugin {
  /** Makes the client, or keeps the one that the process has, as after a reload of the page. */
  create(options: CreateOptions): Promise<void>;
  start(): Promise<void>;
  firstOpen(): Promise<Attribution>;
  handleUrl(options: {
    url: string;
    launchId?: string;
    timeoutMs?: number;
  }): Promise<{ link: DeepLink | null }>;
  claim(options: { text: string }): Promise<{ link: DeepLink | null }>;
  /** @param options `event` is JSON of `name`, `properties` and `revenue`. */
  track(options: { event: string }): Promise<void>;
  identify(options: { userId: string }): Promise<void>;
  logout(): Promise<void>;
  setConsent(options: { consent: Consent }): Promise<void>;
  /** Rejects with the `code` of a LinkError, and `retryAtMs` in its data. @param options `link` is JSON. */
  createLink(options: { link: string; timeoutMs?: number }): Promise<CreatedLink>;
  flush(): Promise<void>;
  reset(): Promise<void>;
  shutdown(): Promise<void>;
  explain(): Promise<Explanation>;
  /** Links and lines of the log wait for the first listener. */
  addListener(event: 'deepLink', listener: (link: DeepLink) => void): Promise<PluginListenerHandle>;
  addListener(event: 'log', listener: (entry: LogEntry) => void): Promise<PluginListenerHandle>;
}

export const plugin: ThroughlinePlugin = registerPlugin<ThroughlinePlugin>(PLUGIN_NAME);
