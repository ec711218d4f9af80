/** The state of one run of the client, and what its parts share. */
import type { AppVersion } from './app-version.ts';
import { faultOfText } from './event.ts';
import type { Call } from './http.ts';
import { MAX_DEVICE_CHARACTERS, MAX_DEVICE_SIZE } from './limits.ts';
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
  device(): Promise<Fingerprint>;
  /** The fields about the device in a call that records and leaves now, as far as the person agrees now. */
  agreed(full: Fingerprint): Agreed;
  /** Of this app, whatever the consent: it stays on the phone. Null until it was read. */
  app(): AppVersion | null;
  /** Resolves once the device was read, or does not answer. */
  appRead(): Promise<void>;
}

interface Agreed {
  readonly fingerprint: Fingerprint & { readonly sdkVersion: string };
  readonly deterministicOnly?: true;
}

/** Reads a port. @returns null if it fails or takes too long. */
export async function readPort<T>(
  name: string,
  port: (() => T | null | Promise<T | null>) | undefined,
  log: Log,
): Promise<T | null> {
  if (port === undefined) return null;
  try {
    const value = await orAfter(PORT_TIMEOUT_MS, Promise.resolve(port()), () =>
      log('warn', `Reading the ${name} took too long`),
    );
    return value ?? null;
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
  const full = await readPort('device', device, log);
  return full === null ? { platform: guessedPlatform() } : accepted(full, log);
}

/** @param sdkVersion of a package around this one. */
export function agreed(full: Fingerprint, consent: Consent, sdkVersion = SDK_VERSION): Agreed {
  if (consent === 'granted') return { fingerprint: { ...full, sdkVersion } };
  return {
    fingerprint: { platform: full.platform, sdkVersion },
    deterministicOnly: true,
  };
}

/** Without what would make the service refuse the whole request. */
function accepted({ platform, ...rest }: Fingerprint, log: Log): Fingerprint {
  const kept = Object.entries(rest).filter(([field, value]: [string, unknown]) => {
    if (value === undefined || value === null || value === '') return true;
    const fault = field.startsWith('screen')
      ? typeof value === 'number' && Math.abs(value) <= MAX_DEVICE_SIZE
        ? null
        : `${field} must be a number up to ${MAX_DEVICE_SIZE}`
      : faultOfText(field, value, field === 'userAgent' ? Number.POSITIVE_INFINITY : MAX_DEVICE_CHARACTERS);
    if (fault !== null) log('warn', `The device is told without it: ${fault}`);
    return fault === null;
  });
  const isKnown = /^(android|ios)$/i.test(platform);
  return { ...Object.fromEntries(kept), platform: isKnown ? platform : guessedPlatform() };
}

function guessedPlatform(): Fingerprint['platform'] {
  const agent = typeof navigator === 'object' ? navigator.userAgent : '';
  return /android/i.test(agent ?? '') ? 'ANDROID' : 'IOS';
}
