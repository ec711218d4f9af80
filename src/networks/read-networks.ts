import { type AppRow, metaReferrerKeyOf } from '../apps/index.ts';
import type { InstallsTable } from '../db/index.ts';
import { DAY_MS, isoTime, SECOND_MS } from '../lib/clock.ts';
import type { Secrets } from '../lib/secrets.ts';
import { tokenEvidence } from './apple/token-evidence.ts';
import { claimColumns, claimOf, type NetworkClaim, type NetworkName } from './claim.ts';
import { type Finding, findingsText, type Outcome } from './finding.ts';
import { type GoogleClickIds, googleClickIdsIn, googleEvidence } from './google.ts';
import { decryptMetaBlock, metaBlockIn, metaClaim, metaEvidence } from './meta.ts';
import { utmInReferrer } from './play-utm.ts';

/** What networks and stores told the app, and what decides who may use it. */
export interface NetworkEvidence {
  readonly platform: string;
  readonly deterministicOnly: boolean;
  readonly installReferrer?: string | null | undefined;
  readonly referrerClickTimestampSeconds?: number | null | undefined;
  readonly referrerClickTimestampServerSeconds?: number | null | undefined;
  readonly metaReferrer?: MetaReferrer | null | undefined;
  readonly appleAdsToken?: string | null | undefined;
}

interface MetaReferrer {
  readonly installReferrer: string;
  readonly isClickThrough?: boolean | null;
  readonly actualTimestampSeconds?: number | null;
}

/** What the networks of an install say when it is recorded; Apple answers later. */
export interface NetworksRead {
  readonly claim: NetworkClaim | null;
  readonly findings: readonly Finding[];
  /** Of Play's referrer, as `installs.utm` has it. */
  readonly utm: string | null;
  /** To keep with the install; null without, or without the person's consent. */
  readonly googleClickIds: GoogleClickIds | null;
  /** To exchange; null if there is none to. */
  readonly appleAdsToken: string | null;
}

/** What one referrer says of an ad. */
interface Told {
  readonly name: NetworkName;
  readonly outcome: Outcome;
  readonly claim: NetworkClaim | null;
  readonly isTap: boolean;
}

/**
 * An ad that was tapped goes before one that was only seen, and a later tap before an earlier one. Where a time is unknown,
 * Play's referrer, which the tap of this install left, goes before what Meta's apps remember.
 */
export function readNetworks(deps: ReadingDeps, app: AppRow, evidence: NetworkEvidence): NetworksRead {
  if (evidence.platform !== 'ANDROID') return readApple(deps, app, evidence);
  const referrer = evidence.installReferrer ?? '';
  const clickedAt = timeOf(deps, [
    evidence.referrerClickTimestampServerSeconds,
    evidence.referrerClickTimestampSeconds,
  ]);
  const clickIds = googleClickIdsIn(referrer);
  const isUsed = deps.isUsed(googleEvidence(referrer));
  const told = [
    readBlock(deps, app, referrer, { claimType: 'Click', clickedAt }),
    clickIds && {
      ...{ name: 'google_ads' as const, outcome: isUsed ? ('used' as const) : ('attributed' as const) },
      ...{ claim: isUsed ? null : claimOf('google_ads', { clickedAt }), isTap: true },
    },
    readProvider(deps, app, evidence.metaReferrer),
  ].filter((each) => each !== null);
  const [first = null] = told.filter(({ claim }) => claim !== null).toSorted(byWeight);
  return {
    claim: first?.claim ?? null,
    findings: told.map((each) => ({
      name: each.name,
      outcome: each.claim === null || each === first ? each.outcome : 'outranked',
    })),
    utm: utmInReferrer(referrer),
    googleClickIds: evidence.deterministicOnly || isUsed || !hasIds(clickIds) ? null : clickIds,
    appleAdsToken: null,
  };
}

/** The first counts; those that are equal stay in their order. */
function byWeight(a: Told, b: Told): number {
  if (a.isTap !== b.isTap) return a.isTap ? -1 : 1;
  const [at, bt] = [a.claim?.clickedAt, b.claim?.clickedAt];
  return at && bt ? Date.parse(bt) - Date.parse(at) : 0;
}

/** An existing user was not brought by an ad that the phone still tells of. */
export function ofExistingUser({ findings }: NetworksRead): NetworksRead {
  const names = new Set(findings.map(({ name }) => name));
  return { ...NO_NETWORKS, findings: [...names].map((name) => ({ name, outcome: 'existing_user' })) };
}

function readApple(
  deps: ReadingDeps,
  app: AppRow,
  { platform, appleAdsToken }: NetworkEvidence,
): NetworksRead {
  if (platform !== 'IOS' || appleAdsToken == null) return NO_NETWORKS;
  const found = (outcome: Outcome) => ({
    ...NO_NETWORKS,
    findings: [{ name: 'apple_ads' as const, outcome }],
  });
  if (appleAdsToken === '') return found('malformed');
  if (app.apple_ads !== 1) return found('switched_off');
  if (deps.isUsed([tokenEvidence(appleAdsToken)])) return found('used');
  return { ...found('waiting'), appleAdsToken };
}

interface ReadingDeps {
  readonly secrets: Secrets;
  readonly nowMs: number;
  /** Whether another install has used some of it. Asked of all that names a network. */
  isUsed(evidence: readonly string[]): boolean;
}

/** By Meta's own windows, which support.appsflyer.com advises to keep to: 28 days for taps, a day for views. */
const TAP_DAYS = 28;
const VIEW_DAYS = 1;

/** Meta's apps remember an ad for long after it stopped to count. */
function readProvider(
  deps: ReadingDeps,
  app: AppRow,
  metaReferrer: MetaReferrer | null | undefined,
): Told | null {
  if (!metaReferrer) return null;
  const { installReferrer, isClickThrough = null, actualTimestampSeconds } = metaReferrer;
  if (installReferrer === '') return unreadOf('malformed');
  const at = timeOf(deps, [actualTimestampSeconds]);
  const told = readBlock(deps, app, installReferrer, {
    claimType: isClickThrough === null ? null : isClickThrough ? 'Click' : 'Impression',
    clickedAt: isClickThrough === false ? null : at,
  });
  const days = isClickThrough === false ? VIEW_DAYS : TAP_DAYS;
  const isOld = at !== null && deps.nowMs - Date.parse(at) > days * DAY_MS;
  return told !== null && told.claim !== null && isOld ? { ...told, outcome: 'too_old', claim: null } : told;
}

function readBlock(
  { secrets, isUsed }: ReadingDeps,
  app: AppRow,
  referrer: string,
  said: Pick<NetworkClaim, 'claimType' | 'clickedAt'>,
): Told | null {
  const block = metaBlockIn(referrer);
  if (block === null) return null;
  if (typeof block === 'string') return unreadOf(block);
  const key = metaReferrerKeyOf({ secrets }, app);
  if (key === null) return unreadOf('no_key');
  if (key === 'unreadable') return unreadOf('unreadable_key');
  const ad = decryptMetaBlock(block, key);
  if (ad === null) return unreadOf('wrong_key');
  if (isUsed([metaEvidence(block)])) return unreadOf('used');
  const claim = metaClaim(ad, said);
  const { campaignId, campaignName, adGroupId, adGroupName, adId, adName } = claim;
  const isOfAd = [campaignId, campaignName, adGroupId, adGroupName, adId, adName].some(
    (each) => each !== null,
  );
  if (!isOfAd) return unreadOf('no_block');
  return { name: 'meta', outcome: 'attributed', claim, isTap: said.claimType === 'Click' };
}

function unreadOf(outcome: Outcome): Told {
  return { name: 'meta', outcome, claim: null, isTap: false };
}

function hasIds(clickIds: GoogleClickIds | null): boolean {
  return clickIds !== null && (clickIds.gclid !== null || clickIds.gbraid !== null);
}

/** Before the first phones with a store. */
const LEAST_SECONDS = 1_200_000_000;

/** @param candidates in seconds since 1970, 0 if unknown. @returns the first that can be; null if none can. */
function timeOf(
  { nowMs }: { nowMs: number },
  candidates: readonly (number | null | undefined)[],
): string | null {
  const seconds = candidates.find(
    (each) => each && each >= LEAST_SECONDS && each * SECOND_MS <= nowMs + DAY_MS,
  );
  return seconds ? isoTime(seconds * SECOND_MS) : null;
}

type NetworkColumns = Pick<
  InstallsTable,
  'network' | 'network_name' | 'network_campaign' | 'network_trace' | 'google_click_ids'
>;

const NO_NETWORKS: NetworksRead = {
  claim: null,
  findings: [],
  utm: null,
  googleClickIds: null,
  appleAdsToken: null,
};

export function networkColumns({ claim, findings, googleClickIds }: NetworksRead): NetworkColumns {
  return {
    ...claimColumns(claim),
    network_trace: findingsText(findings),
    google_click_ids: googleClickIds === null ? null : JSON.stringify(googleClickIds),
  };
}
