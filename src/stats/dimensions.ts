/** The dimensions that statistics are grouped by, and the value of a fact in each. */
import type { Fact } from './pending.ts';
import { COUNTS, type Count, type Numbers } from './counts.ts';
import { addSums, toTenThousandths } from './revenue.ts';

/** The roll-ups keep the empty dimension, with every fact, and these. Platforms are a column of every cell. */
export const DIMENSIONS = [
  'link',
  'campaign',
  'method',
  'country',
  'referrer',
  'utmSource',
  'utmMedium',
  'utmCampaign',
  'eventName',
  'visitor',
] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** Visitors choose these values, so that an app, live or sandbox, keeps `MAX_VALUES` of each dimension and day. */
export const BOUNDED: ReadonlySet<Dimension> = new Set<Dimension>([
  'referrer',
  'utmSource',
  'utmMedium',
  'utmCampaign',
  'eventName',
]);
export const MAX_VALUES = 200;

/** Stands for the values beyond `MAX_VALUES`. Stored values are prefixed, so that none is mistaken for it. */
export const OTHER = '*';
/** Stands for records without a link. Other dimensions have no cells of records without a value. */
export const NONE = '-';
const PREFIX = '=';

/** @returns the stored value; null where the fact has none. */
export function toValue(text: string | null | undefined): string | null {
  return text ? PREFIX + text : null;
}

export function fromValue(value: string): string {
  return value.slice(PREFIX.length);
}

interface Utm {
  readonly source: string | null;
  readonly medium: string | null;
  readonly campaign: string | null;
}

/** The stored values of a fact; none for a dimension where it has no value. */
export function valuesOf(fact: Fact): Map<Dimension, string> {
  const utm = fact.utm === '' ? null : (JSON.parse(fact.utm) as Utm);
  const texts: Record<Dimension, string | null | undefined> = {
    link: fact.link_id,
    campaign: fact.campaign_id,
    method: fact.method,
    country: fact.country,
    referrer: fact.referrer,
    utmSource: utm?.source,
    utmMedium: utm?.medium,
    utmCampaign: utm?.campaign,
    eventName: fact.event_name,
    visitor: fact.visitor,
  };
  const values = new Map<Dimension, string>();
  for (const dimension of DIMENSIONS) {
    const value = toValue(texts[dimension]) ?? (dimension === 'link' ? NONE : null);
    if (value !== null) values.set(dimension, value);
  }
  return values;
}

/** Facts that differ in `amount` and `n` alone. */
export interface FactGroup {
  /** One of them. */
  readonly fact: Fact;
  /** Of the UTC day. */
  readonly quarter: number;
  /** The sum of their `n`. */
  n: number;
  readonly numbers: Numbers;
}

/** Adds a fact to `numbers`; a fact of cohorts alone adds nothing. */
export function addFact(numbers: Numbers, { kind, visitor, method, currency, amount, n }: Fact): void {
  const count = (name: Count) => {
    const index = COUNTS.indexOf(name);
    numbers.counts[index] = (numbers.counts[index] ?? 0) + n;
  };
  if (kind === 'click') {
    count(visitor === 'human' ? 'clicks' : 'otherClicks');
    if (visitor === 'tool') count('toolClicks');
  } else if (kind === 'install') {
    count('installs');
    if (method !== 'ORGANIC') count('attributedInstalls');
  } else if (kind === 'existing') {
    count('existingUsers');
  } else if (kind === 'open') {
    count('opens');
    if (method === 'DIRECT') count('directOpens');
  } else if (kind === 'event' || kind === 'credited') {
    count(kind === 'event' ? 'events' : 'creditedEvents');
    const sums = kind === 'event' ? 'revenue' : 'creditedRevenue';
    if (currency !== '')
      numbers[sums] = addSums(numbers[sums], [[currency, toTenThousandths(amount) * BigInt(n)]]);
  }
}
