/** Query parameters that a tap carries on: what visitors send, which never replaces what the link says. */

export type Parameter = readonly [name: string, value: string];

/** Of the tapped address, before decoding; parsing more takes too long. */
const MAX_QUERY_CHARACTERS = 4_096;
/** Of which at most 25 are kept: reading costs the same for each. */
const MAX_READ = 100;
const MAX_PASSED = 25;
const MAX_PARAMS_BYTES = 16 * 1024;
/** The service's own parameters, and the name that changes what an object is where an app copies it. */
const NEVER_PASSED = /^(?:svc_.*|__proto__)$/is;

/** Whether a name is one that nobody but the service gives. */
export function isReserved(name: string): boolean {
  return NEVER_PASSED.test(name);
}

const NONE: ReadonlyMap<string, string> = new Map();

/** Of a repeated parameter the last one counts. @param clean takes what may not be stored out of a name or value. */
export function parseQuery(url: string, clean: (text: string) => string): ReadonlyMap<string, string> {
  const start = url.indexOf('?');
  if (start === -1) return NONE;
  const query = withoutFragment(url.slice(start + 1));
  let text = query.slice(0, MAX_QUERY_CHARACTERS);
  // A parameter that the limit cuts is left out.
  if (text.length < query.length) text = text.slice(0, Math.max(0, text.lastIndexOf('&')));
  text = firstOf(text, MAX_READ);
  const parameters = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) parameters.set(clean(name), clean(value));
  return parameters;
}

/** Before decoding. */
function firstOf(query: string, max: number): string {
  let end = -1;
  for (let count = 0; count < max; count += 1) {
    end = query.indexOf('&', end + 1);
    if (end === -1) return query;
  }
  return query.slice(0, end);
}

function withoutFragment(query: string): string {
  const end = query.indexOf('#');
  return end === -1 ? query : query.slice(0, end);
}

/** The parameters that a link with this `passQuery` carries on, in their order. */
export function passedOf(
  passQuery: readonly string[],
  query: ReadonlyMap<string, string>,
): readonly Parameter[] {
  if (query.size === 0 || passQuery.length === 0) return [];
  const isPassed = matcherOf(passQuery);
  const passed: Parameter[] = [];
  for (const parameter of query) {
    if (!isPassed(parameter[0])) continue;
    passed.push(parameter);
    if (passed.length === MAX_PASSED) break;
  }
  return passed;
}

const matchers = new WeakMap<readonly string[], (name: string) => boolean>();

export function matcherOf(passQuery: readonly string[]): (name: string) => boolean {
  let matcher = matchers.get(passQuery);
  if (matcher === undefined) {
    const exact = new Set(passQuery.filter((name) => !name.endsWith('*')));
    const starts = passQuery.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1));
    matcher = (name) =>
      name !== '' && (exact.has(name) || starts.some((start) => name.startsWith(start))) && !isReserved(name);
    matchers.set(passQuery, matcher);
  }
  return matcher;
}

/** Adds those that the address's query lacks, encoded once. Its own query stays as it is written. */
export function addParametersTo(url: URL, passed: readonly Parameter[]): void {
  const { searchParams } = url;
  const added = passed.filter(([name]) => !searchParams.has(name));
  if (added.length === 0) return;
  const pairs = added.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  const own = url.search.replace(/^\?|&$/g, '');
  url.search = [...(own === '' ? [] : [own]), ...pairs].join('&');
}

/** Adds those that the JSON object lacks, as long as it has at most 16 KiB. */
export function addToParams(objectText: string, passed: readonly Parameter[]): string {
  if (passed.length === 0) return objectText;
  const own = JSON.parse(objectText) as Record<string, unknown>;
  const added: Parameter[] = [];
  let bytes = Buffer.byteLength(objectText);
  for (const [name, value] of passed) {
    if (Object.hasOwn(own, name)) continue;
    // Of a list with two texts `[` and `]` are more than `:` takes; a comma follows another member.
    bytes += Buffer.byteLength(JSON.stringify([name, value])) - 1;
    if (bytes > MAX_PARAMS_BYTES) break;
    added.push([name, value]);
  }
  return added.length === 0
    ? objectText
    : JSON.stringify(Object.fromEntries([...Object.entries(own), ...added]));
}
