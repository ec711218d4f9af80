/** The state of one run of the client, and what its parts share. */
import type { AppVersion } from './app-version.ts';
import type { Call } from './http.ts';
import type { Log } from './log.ts';
import type { OrderedStorage } from './ordered-storage.ts';
import type { State } from './state.ts';
import { isWithin, orAfter } from './timing.ts';
import type { Consent, Fingerprint, Ports } from './types.ts';

const SDK_VERSION = 'throughline-core/0.1.0';

/** How long the ports of the device may take: an install without the referrer is better than none. */
export const PORT_TIMEOUT_MS = 3_000;

export interface Session {
  readonly state: State;
  readonly storage: OrderedStorage;
  readonly call: Call;
  readonly log: Log;
  readonly now: () => number;
  /** Of this process alone. */
  readonly uptime: () => number;
  /** Of a request that is about to leave. */
  readonly sentAt: () => string;
  readonly newId: () => string;
  /** False after `reset` and `shutdown`: answers that arrive later change nothing. */
  isOpen(): boolean;
  /** Whether the stored state is known. */
  isLoaded(): boolean;
  save(): void;
  consent(): Consent;
  mayRecord(): boolean;
  /** The fields about the device in a call that records, as far as the person agreed. */
  device(): Promise<{ fingerprint: Fingerprint & { sdkVersion: string }; deterministicOnly?: true }>;
  /** Of this app, whatever the consent: it stays on the phone. Null until it was read. */
  app(): AppVersion | null;
  /** Resolves once the device was read, or does not answer. */
  appRead(): Promise<void>;
}

/** Reads a port. @returns null if it fails or takes too long. */
export async function readPort<T>(
  name: string,
  port: (() => T | null | Promise<T | null>) | undefined,
  log: Log,
): Promise<T | null> {
  if (port === undefined) return null;
  try {
    return await orAfter(PORT_TIMEOUT_MS, Promise.resolve(port()), () => {
      log('warn', `Reading the ${name} took too long`);
      return null;
    });
  } catch (cause) {
    log('warn', `Reading the ${name} failed: ${cause}`);
    return null;
  }
}

const SESSION_MS = 1_800_000;

/** The day of the install is active by itself. */
export function beginsSession({ state, now, mayRecord }: Session): boolean {
  if (state.firstOpen === null || !mayRecord() || isWithin(SESSION_MS, now(), state.sessionAt)) return false;
  state.sessionAt = now();
  return true;
}

export async function readDevice({ device }: Pick<Ports, 'device'>, log: Log): Promise<Fingerprint> {
  return (await readPort('device', device, log)) ?? { platform: guessedPlatform() };
}

/** @param sdkVersion of a package around this one. */
export function agreed(
  full: Fingerprint,
  consent: Consent,
  sdkVersion = SDK_VERSION,
): Awaited<ReturnType<Session['device']>> {
  if (consent === 'granted') return { fingerprint: { ...full, sdkVersion } };
  return {
    fingerprint: { platform: full.platform, sdkVersion },
    deterministicOnly: true,
  };
}

function guessedPlatform(): Fingerprint['platform'] {
  const agent = typeof navigator === 'object' ? navigator.userAgent : '';
  return /android/i.test(agent ?? '') ? 'ANDROID' : 'IOS';
}
