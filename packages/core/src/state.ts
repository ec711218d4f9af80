/** The state of the client, apart from events: one value, so that each change is stored whole or not at all. */
import type { Attribution, Consent, DeepLink } from './types.ts';

/** A link that opened the app, or a pasted token, until the service has recorded it. */
export interface Open {
  readonly openId: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Of the link, or of the pasted token. */
  readonly url: string;
  readonly isPasted: boolean;
  /** Whether the app has the link already, as far as the URL told. */
  isDelivered: boolean;
}

export interface State {
  readonly installId: string;
  /** Null until `setConsent` is called. */
  consent: Consent | null;
  /** Null until the service has recorded the install. */
  firstOpen: Attribution | null;
  /** Whether the install may have reached the service. */
  isInstallSent: boolean;
  /** A URL with a token that goes with the install; empty if the clipboard had none. */
  token: string | null;
  userId: string | null;
  isUserSent: boolean;
  /** Links without a listener so far. */
  links: DeepLink[];
  opens: Open[];
  /** URLs that this process of the app received, so that a reload of its JavaScript does not count them again. */
  launch: { readonly id: string | null; readonly urls: readonly string[]; readonly at: number } | null;
  firstChunk: number;
  droppedEvents: number;
  /** Start of the last session, in milliseconds since 1970. */
  sessionAt: number;
}

export const STATE_KEY = 'state';

export function newState(installId: string): State {
  return {
    installId,
    consent: null,
    firstOpen: null,
    isInstallSent: false,
    token: null,
    userId: null,
    isUserSent: true,
    links: [],
    opens: [],
    launch: null,
    firstChunk: 0,
    droppedEvents: 0,
    sessionAt: 0,
  };
}

/** @returns null for a damaged value. */
export function readState(text: string): State | null {
  try {
    const stored = JSON.parse(text) as Partial<State> | null;
    return typeof stored?.installId === 'string' ? { ...newState(stored.installId), ...stored } : null;
  } catch {
    return null;
  }
}
