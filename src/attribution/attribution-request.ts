import type { AppDirectory, AppRow } from '../apps/index.ts';
import type { Actor } from '../auth/index.ts';
import type { Claimant } from '../click-log/index.ts';
import type { InstallsTable } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { normaliseAddress } from '../lib/address.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../lib/clock.ts';
import type { Countries } from '../lib/countries.ts';
import { MAX_USER_AGENT_CHARACTERS } from '../redirect/visitors/index.ts';
import { readClipboardToken } from '../tokens.ts';
import { clickIdInReferrer, readClickIdField } from './click-id.ts';
import type { ClickReference, RequestEvidence } from './decide.ts';
import type { FingerprintInput } from './schemas.ts';

/** The fields that `/v1/sdk/install`, `/v1/sdk/open` and `/v1/debug/attribution` share. */
export interface SdkCall {
  readonly fingerprint: FingerprintInput;
  readonly installReferrer?: string | null;
  readonly clickId?: string | null;
  readonly debugBuild?: boolean | null;
  readonly deterministicOnly?: boolean | null;
  readonly installBeginTimestampSeconds?: number | null;
  readonly installBeginTimestampServerSeconds?: number | null;
}

/** A normalised call. */
export interface AttributionRequest extends RequestEvidence {
  readonly app: AppRow;
  readonly referrer: ClickReference | null;
  readonly explicit: ClickReference | null;
  /** Keyed hash of the device's address, for limits and waits too; null if it is unknown. */
  readonly ipHash: string | null;
  /** Its hashes by other root secrets, for clicks within the window of the fingerprint. */
  readonly otherIpHashes: readonly string[];
  /** Of the device's address; null with `deterministicOnly`. */
  readonly country: string | null;
}

/** Another process uses a new root secret within seconds, and its clock may differ. */
const ROTATION_SLACK_MS = 5 * MINUTE_MS;

/** @param address of the device, see `addressOf`; null if it is unknown. */
export async function toAttributionRequest(
  {
    clock,
    secrets,
    countries,
    appDirectory,
  }: Pick<Foundation, 'clock' | 'secrets'> & { countries: Countries; appDirectory: AppDirectory },
  {
    actor,
    claimant,
    address,
    call,
  }: { actor: Actor; claimant: Claimant; address: string | null; call: SdkCall },
): Promise<AttributionRequest> {
  const app = await appDirectory.get(actor.appId);
  const referrerClickId = clickIdInReferrer(call.installReferrer);
  const windowStartMs = clock.nowMs() - app.fingerprint_window_hours * HOUR_MS - ROTATION_SLACK_MS;
  return {
    app,
    claimant,
    debugBuild: actor.mode === 'test' || call.debugBuild === true,
    deterministicOnly: isDeterministicOnly(call),
    hasReferrer: Boolean(call.installReferrer),
    referrer: referrerClickId === null ? null : { clickId: referrerClickId, token: 'none' },
    explicit: explicitReference({ clock, secrets }, app.id, readClickIdField(call.clickId)),
    device: { ...usableFingerprint(call), platform: platformIn(call.fingerprint) },
    installBeganAtMs: installBeganAtMs(call, clock.nowMs()),
    ipHash: address === null ? null : secrets.hashAddress(app.id, address),
    otherIpHashes: address === null ? [] : secrets.otherAddressHashes(app.id, address, windowStartMs),
    country: isDeterministicOnly(call) ? null : countries.of(address),
  };
}

function explicitReference(
  { clock, secrets }: Pick<Foundation, 'clock' | 'secrets'>,
  appId: string,
  text: string | null,
): ClickReference | null {
  if (text === null) return null;
  const token = readClipboardToken({ clock, secrets }, appId, text);
  if (token === null) return { clickId: text.toLowerCase(), token: 'none' };
  return { clickId: token.clickId, token: token.isExpired ? 'expired' : 'valid' };
}

/** Largest error of a device clock that is set by the network. */
const DEVICE_CLOCK_TOLERANCE_MS = MINUTE_MS;

/**
 * When Play began to install: by Google's clock, else the latest time that the device's clock allows. Null if it is
 * unknown or in the future.
 */
export function installBeganAtMs(
  call: Pick<SdkCall, 'installBeginTimestampSeconds' | 'installBeginTimestampServerSeconds'>,
  nowMs: number,
): number | null {
  const byServerMs = (call.installBeginTimestampServerSeconds || 0) * SECOND_MS;
  if (byServerMs > 0 && byServerMs <= nowMs + DEVICE_CLOCK_TOLERANCE_MS) return byServerMs;
  const byDeviceMs = (call.installBeginTimestampSeconds || 0) * SECOND_MS;
  return byDeviceMs > 0 && byDeviceMs <= nowMs ? byDeviceMs + DEVICE_CLOCK_TOLERANCE_MS : null;
}

/** A publishable key cannot choose the address, or forged calls could claim clicks from any address. */
export function addressOf(actor: Actor, call: SdkCall, connectionAddress: string): string | null {
  return actor.publishable ? connectionAddress : givenAddress(call);
}

/** @throws AppError `request.invalid` if `fingerprint.ipAddress` is no IP address. */
export function givenAddress({ fingerprint: { ipAddress } }: SdkCall): string | null {
  if (ipAddress === undefined || ipAddress === null) return null;
  if (normaliseAddress(ipAddress) === null)
    throw new AppError('request.invalid', {
      message: 'fingerprint.ipAddress must be an IPv4 or IPv6 address.',
    });
  return ipAddress;
}

/** The columns of the device, the same on installs and opens. */
type DeviceColumns = Pick<
  InstallsTable,
  | 'platform'
  | 'ip_hash'
  | 'user_agent'
  | 'device_model'
  | 'os_version'
  | 'locale'
  | 'fingerprint'
  | 'deterministic_only'
>;

/** The device as stored. Unknown fields and the plain address are left out, since they may be personal data. */
export function deviceColumns(call: SdkCall, ipHash: string | null): DeviceColumns {
  const fingerprint = usableFingerprint(call);
  const { userAgent, osVersion, deviceModel, locale } = fingerprint;
  const { screenWidth, screenHeight, screenDensity, timezone, appVersion, sdkVersion } = fingerprint;
  return {
    platform: platformIn(fingerprint),
    ip_hash: isDeterministicOnly(call) ? null : ipHash,
    user_agent: userAgent?.slice(0, MAX_USER_AGENT_CHARACTERS) ?? null,
    device_model: deviceModel ?? null,
    os_version: osVersion ?? null,
    locale: locale ?? null,
    deterministic_only: isDeterministicOnly(call) ? 1 : null,
    fingerprint: JSON.stringify({
      screenWidth,
      screenHeight,
      screenDensity,
      timezone,
      appVersion,
      sdkVersion,
    }),
  };
}

function isDeterministicOnly({ deterministicOnly }: SdkCall): boolean {
  return deterministicOnly === true;
}

/** The part of the device's report that the person allows to use. */
function usableFingerprint(call: SdkCall): FingerprintInput {
  if (!isDeterministicOnly(call)) return call.fingerprint;
  const { platform, appVersion, sdkVersion } = call.fingerprint;
  return { platform, appVersion, sdkVersion };
}

/** @throws AppError `request.invalid` unless the platform is ANDROID or IOS, in any case. */
export function platformIn({ platform }: FingerprintInput): 'ANDROID' | 'IOS' {
  const upper = platform.toUpperCase();
  if (upper === 'ANDROID' || upper === 'IOS') return upper;
  throw new AppError('request.invalid', { message: 'fingerprint.platform must be ANDROID or IOS.' });
}
