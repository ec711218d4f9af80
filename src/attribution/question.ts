import type { Actor, AppRow } from '../apps/index.ts';
import { type Claimant, MAX_USER_AGENT_CHARACTERS, readClipboardToken } from '../clicks/index.ts';
import type { DeviceReport } from '../devices/index.ts';
import { normaliseAddress } from '../platform/address.ts';
import { MINUTE_MS, SECOND_MS } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import type { DeviceColumns } from '../platform/db/index.ts';
import { AppError } from '../platform/errors.ts';
import type { AttributionCtx } from './attribution-ctx.ts';
import type { TokenState } from './decide.ts';
import { clickIdInReferrer, nameInClickId } from './named-click.ts';
import type { FingerprintInput } from './schemas.ts';

/** An SDK call as it came in. */
export interface SdkCall {
  readonly fingerprint: FingerprintInput;
  readonly installReferrer?: string | null;
  readonly clickId?: string | null;
  readonly debugBuild?: boolean | null;
  readonly installBeginTimestampSeconds?: number | null;
  readonly installBeginTimestampServerSeconds?: number | null;
}

/** What is asked of the matching: an install or an open, before anything was looked up. */
export interface Question {
  readonly app: AppRow;
  readonly claimant: Claimant;
  readonly debugBuild: boolean;
  /** Whether Play's referrer came at all. */
  readonly hasReferrer: boolean;
  /** Click IDs that the app names, in lower case; null where it names none. Some are no UUIDs. */
  readonly referrerClickId: string | null;
  readonly explicitClickId: string | null;
  readonly explicitToken: TokenState;
  readonly device: DeviceReport;
  /** When Play began to install the app; null where it is not known. */
  readonly installBeganAtMs: number | null;
  /** Keyed hash of the address that counts; null where there is none. */
  readonly ipHash: string | null;
}

/**
 * Reads a call: what it asks of the matching, without a look at the database but for the app.
 * @param address that counts for this call: the connection's for a publishable key, since a stranger could claim
 * another's click otherwise; the fingerprint's for a server's key. Null where it is not known.
 */
export async function toQuestion(
  ctx: AttributionCtx,
  {
    actor,
    claimant,
    address,
    call,
  }: { actor: Actor; claimant: Claimant; address: string | null; call: SdkCall },
): Promise<Question> {
  const app = await ctx.appDirectory.get(actor.appId);
  return {
    app,
    claimant,
    debugBuild: isDebugBuild(actor, call),
    hasReferrer: Boolean(call.installReferrer),
    referrerClickId: clickIdInReferrer(call.installReferrer),
    ...explicitClick(ctx, app.id, nameInClickId(call.clickId)),
    device: { ...call.fingerprint, platform: platformIn(call.fingerprint) },
    installBeganAtMs: installBeganAtMs(call, ctx.clock.nowMs()),
    ipHash: address === null ? null : ctx.secrets.hashAddress(app.id, address),
  };
}

/** The click that the app names: by its ID, or by a token from the clipboard. */
function explicitClick(
  ctx: Ctx,
  appId: string,
  name: string | null,
): Pick<Question, 'explicitClickId' | 'explicitToken'> {
  if (name === null) return { explicitClickId: null, explicitToken: 'none' };
  const token = readClipboardToken(ctx, appId, name);
  if (token === null) return { explicitClickId: name.toLowerCase(), explicitToken: 'none' };
  return { explicitClickId: token.clickId, explicitToken: token.isExpired ? 'expired' : 'valid' };
}

/** A phone's clock is set by its network, and may still be off by so much. */
const DEVICE_CLOCK_TOLERANCE_MS = MINUTE_MS;

/**
 * When Play began to install: by Google's clock, else by the device's, as late as that may mean. Null where it is not
 * known, and for what no clock can say: a time to come.
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

/** Whose address counts for an SDK call. */
export function addressOf(actor: Actor, call: SdkCall, connectionAddress: string): string | null {
  return actor.publishable ? connectionAddress : givenAddress(call);
}

/** @throws AppError when the fingerprint's address is none. */
export function givenAddress({ fingerprint }: SdkCall): string | null {
  const { ipAddress } = fingerprint;
  if (ipAddress === undefined || ipAddress === null) return null;
  if (normaliseAddress(ipAddress) === null)
    throw new AppError('request.invalid', {
      message: 'fingerprint.ipAddress must be an IPv4 or IPv6 address.',
    });
  return ipAddress;
}

function isDebugBuild(actor: Actor, call: SdkCall): boolean {
  return actor.mode === 'test' || call.debugBuild === true;
}

/** What is stored of the device: its address as a hash only. */
export function deviceColumns({ fingerprint }: SdkCall, ipHash: string | null): DeviceColumns {
  const {
    ipAddress: _address,
    platform: _platform,
    userAgent,
    osVersion,
    deviceModel,
    locale,
    ...rest
  } = fingerprint;
  return {
    platform: platformIn(fingerprint),
    ip_hash: ipHash,
    user_agent: userAgent?.slice(0, MAX_USER_AGENT_CHARACTERS) ?? null,
    device_model: deviceModel ?? null,
    os_version: osVersion ?? null,
    locale: locale ?? null,
    fingerprint: JSON.stringify(knownSignals(rest)),
  };
}

/** Fields that no contract names are not stored: nobody could say what is in them. */
function knownSignals(rest: Partial<FingerprintInput>): Partial<FingerprintInput> {
  const { screenWidth, screenHeight, screenDensity, timezone, appVersion, sdkVersion } = rest;
  return { screenWidth, screenHeight, screenDensity, timezone, appVersion, sdkVersion };
}

/** In any case. @throws AppError `request.invalid` for any other text. */
export function platformIn({ platform }: FingerprintInput): 'ANDROID' | 'IOS' {
  const upper = platform.toUpperCase();
  if (upper === 'ANDROID' || upper === 'IOS') return upper;
  throw new AppError('request.invalid', { message: 'fingerprint.platform must be ANDROID or IOS.' });
}
