/** The source of a tap: the referring host and the parameters of the short link's address. */
import type { IncomingMessage } from 'node:http';

/** The `utm_*` parameters; null where there is none. */
export interface Utm {
  readonly source: string | null;
  readonly medium: string | null;
  readonly campaign: string | null;
  readonly term: string | null;
  readonly content: string | null;
}

/** As stored with a click. */
interface Source {
  /** A host name. */
  readonly referrer: string | null;
  /** `Utm` as JSON; null without any. */
  readonly utm: string | null;
  /** The parameters as a JSON object; null without any. */
  readonly query: string | null;
}

const MAX_PARAMETERS = 25;
const MAX_QUERY_CHARACTERS = 4_096;
const MAX_UTM_CHARACTERS = 128;
const MAX_HOST_CHARACTERS = 253;

/** Parameters beyond the limits are left out. */
export function readSource({ url = '', headers }: Pick<IncomingMessage, 'url' | 'headers'>): Source {
  const referrer = hostOf(headers.referer);
  const queryStart = url.indexOf('?');
  if (queryStart === -1) return { referrer, utm: null, query: null };
  const text = url.slice(queryStart + 1, queryStart + 1 + MAX_QUERY_CHARACTERS);
  const query = Object.fromEntries([...new URLSearchParams(text)].slice(0, MAX_PARAMETERS).map(withoutNul));
  return {
    referrer,
    utm: utmIn(query),
    query: Object.keys(query).length === 0 ? null : JSON.stringify(query),
  };
}

/** PostgreSQL stores no NUL. */
function withoutNul([name, value]: [string, string]): [string, string] {
  return [name.replaceAll('\0', ''), value.replaceAll('\0', '')];
}

function utmIn(query: Readonly<Record<string, string>>): string | null {
  const parameter = (name: string) =>
    query[`utm_${name}`]?.slice(0, MAX_UTM_CHARACTERS).toWellFormed() || null;
  const utm: Utm = {
    source: parameter('source'),
    medium: parameter('medium'),
    campaign: parameter('campaign'),
    term: parameter('term'),
    content: parameter('content'),
  };
  return Object.values(utm).every((value) => value === null) ? null : JSON.stringify(utm);
}

function hostOf(referer: string | undefined): string | null {
  if (referer === undefined) return null;
  return URL.parse(referer)?.hostname.slice(0, MAX_HOST_CHARACTERS) || null;
}
