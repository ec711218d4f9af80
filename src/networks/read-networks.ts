import { type AppRow, metaReferrerKeyOf } from '../apps/index.ts';
import type { InstallsTable } from '../db/index.ts';
import { DAY_MS, isoTime, SECOND_MS } from '../lib/clock.ts';
import type { Secrets } from '../lib/secrets.ts';
import { claimColumns, claimOf, type NetworkClaim } from './claim.ts';
import { type Finding, findingsText, type Outcome } from './finding.ts';
import { type GoogleClickIds, googleClickIdsIn } from './google.ts';
import { decryptMetaBlock, metaBlockIn, metaClaim } from './meta.ts';

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
  /** To keep with the install; null without, or without the person's consent. */
  readonly googleClickIds: GoogleClickIds | null;
  /** To exchange; null if there is none to. */
  readonly appleAdsToken: string | null;
}

/**
 * An ad that was tapped goes before one that was only seen, and Play's referrer, which the tap of this install left, before
 * what Meta's apps remember.
 */
export function readNetworks(
  deps: { readonly secrets: Secrets; readonly nowMs: number },
  app: AppRow,
  evidence: NetworkEvidence,
): NetworksRead {
  if (evidence.platform !== 'ANDROID') return readApple(app, evidence);
  const referrer = evidence.installReferrer ?? '';
  const clickedAt = timeOf(deps, [
    evidence.referrerClickTimestampServerSeconds,
    evidence.referrerClickTimestampSeconds,
  ]);
  const meta = readMeta(deps, app, { ...evidence, referrer, clickedAt });
  const clickIds = googleClickIdsIn(referrer);
  const google = clickIds === null ? null : claimOf('google_ads', { clickedAt });
  const isOnlySeen = meta.claim?.claimType === 'Impression';
  const claim = isOnlySeen ? (google ?? meta.claim) : (meta.claim ?? google);
  return {
    claim,
    findings: [
      ...ofMeta(meta, claim),
      ...(google === null ? [] : [{ name: google.name, outcome: placeOf(google, claim) }]),
    ],
    googleClickIds: evidence.deterministicOnly || !hasIds(clickIds) ? null : clickIds,
    appleAdsToken: null,
  };
}

function readApple(app: AppRow, { platform, appleAdsToken }: NetworkEvidence): NetworksRead {
  const nothing = { claim: null, findings: [], googleClickIds: null, appleAdsToken: null };
  if (platform !== 'IOS' || !appleAdsToken) return nothing;
  if (app.apple_ads !== 1) return { ...nothing, findings: [{ name: 'apple_ads', outcome: 'switched_off' }] };
  return { ...nothing, findings: [{ name: 'apple_ads', outcome: 'waiting' }], appleAdsToken };
}

type MetaRead = { readonly claim: NetworkClaim | null; readonly outcome: Outcome | null };
type ReadingDeps = { readonly secrets: Secrets; readonly nowMs: number };

function readMeta(
  deps: ReadingDeps,
  app: AppRow,
  {
    referrer,
    clickedAt,
    metaReferrer,
  }: Pick<NetworkEvidence, 'metaReferrer'> & { referrer: string; clickedAt: string | null },
): MetaRead {
  const ofPlay = readBlock(deps, app, referrer, { claimType: 'Click', clickedAt });
  if (ofPlay.claim !== null || !metaReferrer) return ofPlay;
  const { installReferrer, isClickThrough = null, actualTimestampSeconds } = metaReferrer;
  const ofProvider = readBlock(deps, app, installReferrer, {
    claimType: isClickThrough === null ? null : isClickThrough ? 'Click' : 'Impression',
    clickedAt: isClickThrough === false ? null : timeOf(deps, [actualTimestampSeconds]),
  });
  return ofProvider.outcome === null ? ofPlay : ofProvider;
}

function readBlock(
  { secrets }: ReadingDeps,
  app: AppRow,
  referrer: string,
  said: Pick<NetworkClaim, 'claimType' | 'clickedAt'>,
): MetaRead {
  const block = metaBlockIn(referrer);
  if (block === null || typeof block === 'string') return { claim: null, outcome: block };
  const key = metaReferrerKeyOf({ secrets }, app);
  if (key === null) return { claim: null, outcome: 'no_key' };
  if (key === 'unreadable') return { claim: null, outcome: 'unreadable_key' };
  const ad = decryptMetaBlock(block, key);
  return ad === null
    ? { claim: null, outcome: 'wrong_key' }
    : { claim: metaClaim(ad, said), outcome: 'attributed' };
}

function ofMeta({ claim: own, outcome }: MetaRead, claim: NetworkClaim | null): Finding[] {
  if (outcome === null) return [];
  return [{ name: 'meta', outcome: own === null ? outcome : placeOf(own, claim) }];
}

function placeOf(own: NetworkClaim, claim: NetworkClaim | null): Outcome {
  return own === claim ? 'attributed' : 'outranked';
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

export const NO_NETWORKS: NetworksRead = {
  claim: null,
  findings: [],
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
