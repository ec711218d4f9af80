/** What came of the evidence of each network, as stored with the install and said in its trace. */
import { type Static, Type } from 'typebox';
import type { InstallsTable } from '../db/index.ts';
import { Named } from '../server/schemas.ts';
import { NETWORKS } from '../stats/index.ts';
import type { NetworkName } from './claim.ts';

const OUTCOMES = [
  'attributed',
  'outranked',
  'used',
  'not_attributed',
  'waiting',
  'not_asked',
  'switched_off',
  'stopped',
  'erased',
  'refused',
  'not_found',
  'gave_up',
  'existing_user',
  'malformed',
  'too_old',
  'no_block',
  'damaged',
  'no_key',
  'unreadable_key',
  'wrong_key',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const NetworkFinding = Named('NetworkFinding', {
  name: Type.Enum([...NETWORKS]),
  outcome: Type.Enum([...OUTCOMES]),
  reason: Type.String({ description: 'In words, which may change' }),
});
type Presented = Static<typeof NetworkFinding>;

export interface Finding {
  readonly name: NetworkName;
  readonly outcome: Outcome;
}

/** In words, for a person who does not know how networks name their installs. */
const REASONS: Readonly<Record<NetworkName, Readonly<Partial<Record<Outcome, string>>>>> = {
  apple_ads: {
    existing_user:
      'The app sent a token for Apple Ads, which counts for nothing: the person had the app before.',
    attributed: 'Apple says that an ad of Apple Ads led to the install.',
    not_attributed: 'Apple says that no ad of Apple Ads led to the install.',
    used: 'The same token for Apple Ads was used by another install, and counts for one.',
    waiting: 'The app sent a token for Apple Ads, and Apple has not answered yet.',
    not_asked: 'A dry run does not ask Apple: the token for Apple Ads of an install would be exchanged.',
    switched_off:
      'The app sent a token for Apple Ads, which was not kept: switch Apple Ads on in the settings of the app.',
    malformed:
      'What the app sent as token for Apple Ads is none, and was dropped: send what AAAttribution.attributionToken() returns, of at most 4,096 characters.',
    stopped: 'Apple Ads was switched off in the settings of the app before Apple answered.',
    erased: 'The install was erased before Apple answered.',
    refused: 'Apple refused the token for Apple Ads as invalid.',
    not_found:
      'Apple knows no install for the token for Apple Ads: a token is good for 24 hours, and none comes from a simulator.',
    gave_up: 'Apple did not answer within 24 hours, after which the token for Apple Ads is worth nothing.',
  },
  meta: {
    existing_user:
      'The app sent a referrer of Meta, which counts for nothing: the person had the app before.',
    attributed: 'Meta’s referrer names the ad that led to the install.',
    outranked:
      'Meta’s referrer names an ad, too, and another one counts: a tapped ad goes before one that was only seen, and the later tap before the earlier.',
    malformed:
      'What the app sent as metaReferrer is none, and was dropped: send an object with the text installReferrer, of at most 8,192 characters.',
    too_old:
      'Meta’s apps name an ad from too long ago: Meta counts an install within 28 days of a tap, and within a day of a view.',
    used: 'The same block of Meta’s referrer was used by another install, and counts for one: the app was installed again, or somebody sent a copy.',
    no_block: 'The referrer is of Meta, and Meta put no ad into it.',
    damaged: 'Meta’s block in the referrer is incomplete, so that it cannot be decrypted.',
    no_key:
      'Meta’s referrer is encrypted, and the app has no key for it: copy the install referrer decryption key from Meta’s app dashboard into the settings of the app.',
    unreadable_key:
      'The key for Meta’s referrer cannot be read, since SECRET_KEY has changed: enter it again in the settings of the app.',
    wrong_key:
      'Meta’s referrer cannot be decrypted: the key in the settings of the app is not the one of this app in Meta’s app dashboard, or the block is damaged.',
  },
  google_ads: {
    existing_user:
      'The app sent a click ID of Google Ads, which counts for nothing: the person had the app before.',
    attributed: 'The Play referrer has a click ID of Google Ads.',
    outranked:
      'The Play referrer has a click ID of Google Ads, and Meta’s referrer names an ad of the same tap or a later one.',
    used: 'The same click ID of Google Ads was used by another install, and counts for one: the app was installed again, or somebody sent a copy.',
  },
};

export function presentFindings(findings: readonly Finding[]): Presented[] {
  return findings.map(({ name, outcome }) => ({
    ...{ name, outcome },
    // Another version may have more outcomes.
    reason: REASONS[name]?.[outcome] ?? outcome,
  }));
}

/** Of a stored install. */
export function findingsOf({
  network_trace: text,
  erased,
}: Pick<InstallsTable, 'network_trace' | 'erased'>): Finding[] {
  const findings = text === null ? [] : (JSON.parse(text) as Finding[]);
  return findings.map((finding) =>
    erased === 1 && finding.outcome === 'waiting' ? { ...finding, outcome: 'erased' } : finding,
  );
}

export function findingsText(findings: readonly Finding[]): string | null {
  return findings.length === 0 ? null : JSON.stringify(findings);
}

/** Whether a network has not answered yet. */
export function isAsked(install: Pick<InstallsTable, 'network_trace' | 'erased'>): boolean {
  return findingsOf(install).some(({ outcome }) => outcome === 'waiting');
}
