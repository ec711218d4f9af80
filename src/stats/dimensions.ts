/** The dimensions that statistics are grouped by, each declared once. */
import { FORGOTTEN_INVITER } from '../links/index.ts';
import type { Pending } from './pending.ts';

interface Utm {
  readonly source: string | null;
  readonly medium: string | null;
  readonly campaign: string | null;
}

/** A count, with the install that made its link. */
interface CountOfLink extends Pending {
  /** Null for none. */
  readonly inviter: string | null;
}

interface Declaration {
  /** The value of a count; empty or null where it has none. */
  readonly textOf: (count: CountOfLink, utm: Utm | null) => string | null | undefined;
  /** Visitors choose these values, so that an app, live or sandbox, keeps `MAX_VALUES` of them a day. */
  readonly isBounded?: boolean;
}

/** Cells are of these, or of the empty dimension, which has every count. Platforms are a column of every cell. */
const DECLARED = {
  link: { textOf: ({ link_id }) => link_id },
  campaign: { textOf: ({ campaign_id }) => campaign_id },
  method: { textOf: ({ method }) => method },
  country: { textOf: ({ country }) => country },
  referrer: { textOf: ({ referrer }) => referrer, isBounded: true },
  utmSource: { textOf: (_, utm) => utm?.source, isBounded: true },
  utmMedium: { textOf: (_, utm) => utm?.medium, isBounded: true },
  utmCampaign: { textOf: (_, utm) => utm?.campaign, isBounded: true },
  eventName: { textOf: ({ event_name }) => event_name, isBounded: true },
  platformVersion: { textOf: ({ platform_version }) => platform_version, isBounded: true },
  appVersion: { textOf: ({ app_version }) => app_version, isBounded: true },
  visitor: { textOf: ({ visitor }) => visitor },
  // Not in the cells of links: a link has one.
  inviter: { textOf: ({ inviter }) => inviter, isBounded: true },
} as const satisfies Record<string, Declaration>;

export type Dimension = keyof typeof DECLARED;
const ENTRIES = Object.entries<Declaration>(DECLARED) as [Dimension, Declaration][];
export const DIMENSIONS = ENTRIES.map(([dimension]) => dimension);

export const BOUNDED: ReadonlySet<Dimension> = new Set(
  ENTRIES.flatMap(([dimension, { isBounded }]) => (isBounded === true ? [dimension] : [])),
);
export const MAX_VALUES = 200;

/** Stands for the values beyond `MAX_VALUES`, and for inviters that were erased or deleted. Stored values are prefixed, so that none is mistaken for it. */
export const OTHER = '*';
/** Stands for records without a link. Other dimensions have no cells of records without a value. */
export const NONE = '-';
const PREFIX = '=';

export function toValue(text: string): string {
  return PREFIX + text;
}

export function fromValue(value: string): string {
  return value.slice(PREFIX.length);
}

/** The stored values of a count; none for a dimension where it has no value. */
export function valuesOf(count: CountOfLink): Map<Dimension, string> {
  const utm = count.utm === '' ? null : (JSON.parse(count.utm) as Utm);
  const values = new Map<Dimension, string>();
  for (const [dimension, { textOf }] of ENTRIES) {
    const text = textOf(count, utm);
    if (text) values.set(dimension, dimension === 'inviter' ? inviterValue(text) : toValue(text));
    else if (dimension === 'link') values.set(dimension, NONE);
  }
  return values;
}

function inviterValue(installId: string): string {
  return installId === FORGOTTEN_INVITER ? OTHER : toValue(installId);
}
