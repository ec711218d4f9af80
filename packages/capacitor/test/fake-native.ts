/**
 * A fake: it stands in for a native half of the plugin, over core in place of a native client. It talks through Capacitor's
 * own native-bridge.js, as the base class of plugins and the two halves do, and outlives a reload of the page. No code of
 * Android or iOS runs.
 */

import {
  type Config,
  createThroughline,
  type LinkError,
  type NewLink,
  type Ports,
  type StandardEvent,
  type Throughline,
} from '../../core/src/index.ts';

interface Call {
  readonly callbackId: string;
  readonly pluginId: string;
  readonly methodName: string;
  // biome-ignore lint/suspicious/noExplicitAny: each method knows its own.
  readonly options: Record<string, any>;
}

export class FakeNative {
  readonly #ports: () => Ports;
  readonly #answer: (expression: string) => void;
  #client: Throughline | null = null;
  #config = '';
  #isListening = false;
  #listeners: Call[] = [];
  /** Of events without a listener. */
  #retained: { readonly event: string; readonly data: object }[] = [];

  /** @param ports of the phone. @param answer evaluates an expression in the page. */
  constructor(ports: () => Ports, answer: (expression: string) => void) {
    this.#ports = ports;
    this.#answer = answer;
  }

  /** What a page sent. */
  receive(text: string): void {
    const call = JSON.parse(text) as Call;
    if (call.methodName === 'addListener') this.#addListener(call);
    else if (call.methodName === 'removeListener')
      this.#listeners = this.#listeners.filter(({ callbackId }) => callbackId !== call.options.callbackId);
    else
      this.#run(call).then(
        (data) => this.#reply(call, { success: true, data }),
        (error: LinkError) => {
          const { message, code, retryAt } = error;
          const data = { retryAtMs: retryAt?.getTime() ?? null };
          this.#reply(call, { success: false, error: code ? { message, code, data } : { message } });
        },
      );
  }

  /** A page that loads anew has no listeners. */
  pageEnded(): void {
    this.#listeners = [];
  }

  // biome-ignore lint/suspicious/noExplicitAny: as above.
  async #run({ methodName, options }: Call): Promise<any> {
    if (methodName === 'create') return this.#create(options);
    if (this.#client === null) throw new Error('create was not called');
    const client = this.#client;
    switch (methodName) {
      case 'handleUrl':
        return { link: await client.handleUrl(options.url, options) };
      case 'claim':
        return { link: await client.claim(options.text) };
      case 'track':
        return client.track(JSON.parse(options.event) as StandardEvent);
      case 'identify':
        return client.identify(options.userId);
      case 'setConsent':
        return await client.setConsent(options.consent);
      case 'createLink':
        return await client.createLink(JSON.parse(options.link) as NewLink, options);
      case 'start':
      case 'firstOpen':
      case 'logout':
      case 'flush':
      case 'reset':
      case 'shutdown':
      case 'explain':
        return await client[methodName]();
      default:
        throw new Error(`no method ${methodName}`);
    }
  }

  async #create({ existingUser, ...config }: Call['options']): Promise<void> {
    const text = JSON.stringify(config);
    if (text === this.#config) return;
    await this.#client?.shutdown();
    this.#config = text;
    this.#client = createThroughline(
      { ...(config as Config), onLog: (entry) => this.#notify('log', entry) },
      { ...this.#ports(), ...(existingUser !== undefined && { isExistingUser: () => existingUser }) },
    );
    if (this.#isListening) this.#listen();
  }

  #addListener(call: Call): void {
    this.#listeners.push(call);
    const { eventName } = call.options;
    const waiting = this.#retained.filter(({ event }) => event === eventName);
    this.#retained = this.#retained.filter(({ event }) => event !== eventName);
    for (const { event, data } of waiting) this.#notify(event, data);
    if (eventName !== 'deepLink' || this.#isListening) return;
    this.#isListening = true;
    this.#listen();
  }

  #listen(): void {
    this.#client?.onDeepLink((link) => this.#notify('deepLink', link));
  }

  #notify(event: string, data: object): void {
    const calls = this.#listeners.filter(({ options }) => options.eventName === event);
    if (calls.length === 0) this.#retained.push({ event, data });
    for (const call of calls) this.#reply(call, { success: true, data, save: true });
  }

  #reply({ callbackId, pluginId, methodName }: Call, result: object): void {
    const text = JSON.stringify({ callbackId, pluginId, methodName, save: false, ...result });
    this.#answer(`window.Capacitor?.fromNative(${text})`);
  }
}
