/** Query parameters of the page that its links carry on. What visitors send stays text, and is bounded. */
import { stored } from './stored.ts';

/** Of campaigns. Any of them starts a new visit: those of an earlier page do not count any more. */
const CAMPAIGN = ['utm_*', 'gclid', 'gbraid', 'wbraid', 'fbclid'];
const STORED_AS = 'throughline.parameters';
/** The service reads 4,096 characters of an address’s query, and its click keeps 1 KiB. */
const MAX_QUERY_CHARACTERS = 2_000;
const MAX_PARAMETERS = 25;
const MAX_VALUE_CHARACTERS = 512;
/** Too long, or of the service alone. */
const REFUSED_NAME = /^(svc_|__proto__$|$|.{65})/is;
/** Of the page’s address. */
const MAX_READ_CHARACTERS = 8_192;

export type Parameters = readonly (readonly [name: string, value: string])[];

/**
 * Those of the page’s address, then those of an earlier page of this session; they are kept now.
 * @param named further names; `*` at the end stands for any ending.
 */
export function carriedBy(search: string, named: readonly string[], isKept: boolean): Parameters {
  const names = [...CAMPAIGN, ...named];
  let all = pick(search, names);
  const keep = () => {
    const before = pick(search, CAMPAIGN).length ? '' : sessionStorage.getItem(STORED_AS);
    all = [...all, ...pick(before ?? '', names)];
    if (all.length) sessionStorage.setItem(STORED_AS, toQuery(all));
  };
  if (isKept) stored(keep);
  return all;
}

function pick(search: string, names: readonly string[]): Parameters {
  return [...new URLSearchParams(search.slice(0, MAX_READ_CHARACTERS))].filter(([name]) =>
    names.some((each) => (each.endsWith('*') ? name.startsWith(each.slice(0, -1)) : name === each)),
  );
}

/** The first of a name counts. Without what is too long, and without names that the service alone gives. */
export function toQuery(parameters: Parameters): string {
  const query = new URLSearchParams();
  let text = '';
  for (const [name, value] of parameters) {
    if (value.length > MAX_VALUE_CHARACTERS || query.has(name) || REFUSED_NAME.test(name)) continue;
    query.append(name, value);
    if ([...query].length > MAX_PARAMETERS || String(query).length > MAX_QUERY_CHARACTERS) break;
    text = String(query);
  }
  return text;
}
