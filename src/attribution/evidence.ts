import type { AppRow } from '../apps/index.ts';
import {
  awaitFreshClick,
  type ClickLog,
  type ClickRow,
  type ClickWaiting,
  findClick,
  listClicksByAddress,
} from '../click-log/index.ts';
import type { Db } from '../db/index.ts';
import type { Foundation } from '../foundation.ts';
import { HOUR_MS, isoTime } from '../lib/clock.ts';
import { isUuid } from '../lib/ids.ts';
import type { AttributionRequest } from './attribution-request.ts';
import { type ClickReference, type Evidence, type FoundReference, findReferencedClick } from './decide.ts';
import { MAX_CLICKS_FROM_ADDRESS, MAX_CLICKS_READ, namesSystem, selectClicks } from './match-input.ts';

/** Clicks that were read while the request waited for them, by ID. */
export type ReadClicks = ReadonlyMap<string, ClickRow>;

/**
 * Waits until clicks made before the request can be read, including referenced ones that another process recorded.
 * @param sharedSinceMs the monotonic start of the batch that has waited for the clicks of this process; null for a single call.
 */
export async function awaitClicks(
  deps: ClickWaiting & { clickLog: Pick<ClickLog, 'applied'> },
  { app, ipHash, referrer, explicit }: AttributionRequest,
  sharedSinceMs: number | null = null,
): Promise<ReadClicks> {
  if (sharedSinceMs === null) await deps.clickLog.applied(app.id);
  const waiter = { appId: app.id, ipHash, sinceMs: sharedSinceMs ?? undefined };
  const clickIds = new Set([referrer, explicit].flatMap((reference) => reference?.clickId ?? []));
  const clicks = await Promise.all([...clickIds].map((clickId) => awaitFreshClick(deps, waiter, clickId)));
  return new Map(clicks.flatMap((click) => (click === undefined ? [] : [[click.id, click]])));
}

/** @param known saves reading these clicks again; a claim fails if one was claimed since. */
export async function readEvidence(
  { db, clock }: Pick<Foundation, 'db' | 'clock'>,
  request: AttributionRequest,
  known: ReadClicks = new Map(),
): Promise<Evidence> {
  const { app, ipHash, referrer, explicit } = request;
  const evidence: Evidence = {
    ...toEvidence(request, clock.nowMs()),
    referrer: await findReference(db, app.id, referrer, known),
    explicit: await findReference(db, app.id, explicit, known),
  };
  const mayFingerprint = evidence.fingerprintEnabled && !evidence.deterministicOnly;
  if (ipHash === null || !mayFingerprint || findReferencedClick(evidence).finding !== null) return evidence;
  return { ...evidence, clicksFromAddress: await readClicks(db, request, evidence.nowMs) };
}

/** Without any click. */
export function toEvidence(request: AttributionRequest, nowMs: number): Evidence {
  const { app, ipHash: _, otherIpHashes: _others, country: _country, ...requestEvidence } = request;
  return {
    ...requestEvidence,
    nowMs,
    windowHours: windowHoursOf(app),
    fingerprintEnabled: isFingerprintEnabled(request),
    fingerprintThreshold: app.fingerprint_threshold_percent / 100,
    referrer: null,
    explicit: null,
    clicksFromAddress: null,
  };
}

export function isFingerprintEnabled({ app, device }: Pick<AttributionRequest, 'app' | 'device'>): boolean {
  return (device.platform === 'IOS' ? app.fingerprint_ios : app.fingerprint_android) === 1;
}

export function windowHoursOf(app: AppRow): Evidence['windowHours'] {
  return {
    referrer: app.referrer_window_hours,
    clickId: app.click_id_window_hours,
    fingerprint: app.fingerprint_window_hours,
  };
}

async function findReference(
  db: Db,
  appId: string,
  reference: ClickReference | null,
  known: ReadClicks,
): Promise<FoundReference | null> {
  if (reference === null) return null;
  const { clickId } = reference;
  const click = known.get(clickId) ?? (isUuid(clickId) ? await findClick(db, appId, clickId) : undefined);
  return { ...reference, click: click ?? null };
}

/**
 * The clicks from the address within the window of the fingerprint. Reads more only if some of the newest name no operating
 * system, which is rare.
 */
export async function readClicks(
  db: Db,
  { app, ipHash, otherIpHashes }: Pick<AttributionRequest, 'app' | 'ipHash' | 'otherIpHashes'>,
  nowMs: number,
): Promise<readonly ClickRow[] | null> {
  if (ipHash === null) return null;
  const where = {
    ipHashes: [ipHash, ...otherIpHashes],
    since: isoTime(nowMs - app.fingerprint_window_hours * HOUR_MS),
  };
  const newest = await listClicksByAddress(db, app.id, { ...where, limit: MAX_CLICKS_FROM_ADDRESS });
  if (newest.length < MAX_CLICKS_FROM_ADDRESS || newest.every(namesSystem)) return newest;
  return selectClicks(await listClicksByAddress(db, app.id, { ...where, limit: MAX_CLICKS_READ }));
}
