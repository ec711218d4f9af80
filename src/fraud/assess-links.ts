/** Detects click fraud by comparing an app's links. Pure functions. */

/** Counts of a link in a period. */
export interface LinkEvidence {
  readonly shortCode: string;
  readonly campaignId: string | null;
  /** Human clicks. */
  readonly clicks: number;
  /** Also claimable, so a flood of them can take installs. */
  readonly toolClicks: number;
  /** Attributed to the link. */
  readonly installs: number;
  /** Origins of the claimable clicks in the sample. */
  readonly networks: Networks;
}

/** An address counts as one network, as does an IPv6 /64. */
export interface Networks {
  /** Clicks in the sample whose address is not erased. */
  readonly clicks: number;
  readonly distinct: number;
  /** Clicks from the most frequent network. */
  readonly largest: number;
}

export const FINDING_CODES = ['few_installs', 'many_installs', 'one_network'] as const;
type FindingCode = (typeof FINDING_CODES)[number];

export interface AssessedLink extends LinkEvidence {
  /** Installs per claimable click; null without clicks. */
  readonly share: number | null;
  readonly findings: readonly { readonly code: FindingCode; readonly message: string }[];
}

/** Standard deviations; a false finding for one ordinary link in 30,000. A report compares up to 2,000 links. */
const Z = 4;
/** A link's installs per click are suspicious if they differ from the median by more than this factor. */
const FACTOR = 2;
/** A larger share of clicks from one network is suspicious. */
const MAX_NETWORK_SHARE = 0.25;
/** Fewer may come from testers. */
const MIN_CLICKS_FROM_NETWORK = 30;
/** Links with fewer clicks do not count for the median. */
const MIN_CLICKS_TO_COMPARE = 30;
/** With fewer links, a flooded one would determine the median. */
const MIN_LINKS_TO_COMPARE = 3;

/**
 * The median of the links' installs per click, which one flooded link does not change.
 * @returns null if too few links have enough clicks, or most of them have no install.
 */
export function ordinaryShareOf(links: readonly LinkEvidence[]): number | null {
  const shares = links
    .filter((link) => claimableOf(link) >= MIN_CLICKS_TO_COMPARE)
    .map((link) => link.installs / claimableOf(link))
    .sort((a, b) => a - b);
  if (shares.length < MIN_LINKS_TO_COMPARE) return null;
  return shares[shares.length >> 1] || null;
}

/** @param ordinary see `ordinaryShareOf`. @returns the links with their findings, the most suspicious first. */
export function assessLinks(links: readonly LinkEvidence[], ordinary: number | null): AssessedLink[] {
  return links
    .map((link) => ({ link, signs: signsOf(link, ordinary) }))
    .sort((a, b) => strongest(b.signs) - strongest(a.signs) || claimableOf(b.link) - claimableOf(a.link))
    .map(({ link, signs }) => ({
      ...link,
      share: claimableOf(link) === 0 ? null : link.installs / claimableOf(link),
      findings: signs
        .filter(({ strength }) => strength > 1)
        .map(({ code }) => ({ code, message: messageFor(code, link, ordinary ?? 0) })),
    }));
}

/** A strength above 1 is a finding. */
interface Sign {
  readonly code: FindingCode;
  readonly strength: number;
}

function signsOf(link: LinkEvidence, ordinary: number | null): Sign[] {
  const { clicks, largest } = link.networks;
  const network = largest < MIN_CLICKS_FROM_NETWORK ? 0 : shareInterval(largest, clicks).low;
  const signs: Sign[] = [{ code: 'one_network', strength: network / MAX_NETWORK_SHARE }];
  if (ordinary === null || claimableOf(link) === 0) return signs;
  const { low, high } = shareInterval(link.installs, claimableOf(link));
  signs.push({ code: 'few_installs', strength: ordinary / (FACTOR * high) });
  signs.push({ code: 'many_installs', strength: low / (FACTOR * ordinary) });
  return signs;
}

function strongest(signs: readonly Sign[]): number {
  return Math.max(...signs.map(({ strength }) => strength));
}

/** Wilson score interval of `count / of`: wide for few clicks, narrow for many. */
function shareInterval(count: number, of: number): { low: number; high: number } {
  // Installs in the period may come from earlier clicks.
  const share = Math.min(1, count / of);
  const spread = Z ** 2 / of;
  const middle = share + spread / 2;
  const half = Math.sqrt(spread * (share * (1 - share) + spread / 4));
  return { low: Math.max(0, middle - half) / (1 + spread), high: (middle + half) / (1 + spread) };
}

function messageFor(code: FindingCode, link: LinkEvidence, ordinary: number): string {
  const claimable = claimableOf(link);
  const { clicks, largest } = link.networks;
  if (code === 'one_network')
    return `${largest} of the ${clicks} newest clicks came from one network. One person taps a link once or twice. A shared network, such as an office or an event, also has installs.`;
  const expected = Math.round(ordinary * claimable);
  const compared = `${link.installs} installs from ${claimable} clicks; the app's median link would have ${expected}.`;
  return code === 'few_installs'
    ? `${compared} Clicks may be generated (click flooding), or the link may not lead to a store.`
    : `${compared} Installs may be forged, or the link may reach users who would install anyway.`;
}

function claimableOf({ clicks, toolClicks }: LinkEvidence): number {
  return clicks + toolClicks;
}
