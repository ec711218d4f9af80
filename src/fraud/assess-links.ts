/** What a link's numbers say about click fraud, compared with the app's other links. Pure functions. */

/** What is known of a link in a period. */
export interface LinkEvidence {
  readonly shortCode: string;
  readonly campaignId: string | null;
  /** Of humans. */
  readonly clicks: number;
  /** Claimable too, so a flood of them wins installs as well. */
  readonly toolClicks: number;
  /** Attributed to the link. */
  readonly installs: number;
  /** Where the claimable clicks of the sample came from. */
  readonly networks: Networks;
}

/** An address counts as one network, as does an IPv6 /64. */
export interface Networks {
  /** Clicks of the sample that have an address still. */
  readonly clicks: number;
  readonly distinct: number;
  /** Clicks from the network that most came from. */
  readonly largest: number;
}

export const FINDING_CODES = ['few_installs', 'many_installs', 'one_network'] as const;
type FindingCode = (typeof FINDING_CODES)[number];

export interface AssessedLink extends LinkEvidence {
  /** Installs per claimable click; null without clicks. */
  readonly share: number | null;
  readonly findings: readonly { readonly code: FindingCode; readonly message: string }[];
}

/** About one chance in 30,000 for a link that is like the others: a report compares up to 2,000 links. */
const Z = 4;
/** A link's share of installs is suspicious where it is surely more than so many times off. */
const FACTOR = 2;
/** A network's share of the clicks is suspicious where it is surely larger. */
const MAX_NETWORK_SHARE = 0.25;
/** A few people who try a link themselves are no fraud. */
const MIN_CLICKS_FROM_NETWORK = 30;
/** Links with fewer clicks say too little about what is ordinary. */
const MIN_CLICKS_TO_COMPARE = 30;
/** With fewer links a flooded one would make half of the median. */
const MIN_LINKS_TO_COMPARE = 3;

/**
 * The median of the links' installs per click: one flooded link does not move it, however many clicks it has.
 * @returns null where too few links have enough clicks, or most of them have no install.
 */
export function ordinaryShareOf(links: readonly LinkEvidence[]): number | null {
  const shares = links
    .filter((link) => claimableOf(link) >= MIN_CLICKS_TO_COMPARE)
    .map((link) => link.installs / claimableOf(link))
    .sort((a, b) => a - b);
  if (shares.length < MIN_LINKS_TO_COMPARE) return null;
  return shares[shares.length >> 1] || null;
}

/** The links with what is suspicious about each, the most suspicious first. @param ordinary see `ordinaryShareOf`. */
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

/** How far a link is beyond the bound of a finding; above 1 it is one. */
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

/**
 * Wilson's interval of a share: where the true one lies, by so many cases of so many. Three clicks without an install say
 * nearly nothing, three thousand much.
 */
function shareInterval(count: number, of: number): { low: number; high: number } {
  // Installs of the period may be due to clicks before it.
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
    return `${largest} of the ${clicks} newest clicks came from one network. A person taps a link once or twice; a shared network such as an office or an event has many people, and installs.`;
  const expected = Math.round(ordinary * claimable);
  const compared = `${link.installs} installs of ${claimable} clicks, where the app's median link would have ${expected}.`;
  return code === 'few_installs'
    ? `${compared} Clicks may be made without a person (click flooding), or the link leads to no store.`
    : `${compared} Installs may be forged, or the link reaches people who mean to install anyway.`;
}

function claimableOf({ clicks, toolClicks }: LinkEvidence): number {
  return clicks + toolClicks;
}
