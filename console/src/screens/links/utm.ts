/** UTM parameters of a web address: read, set, and collected from addresses used before. */

/** Each with its name in words and the dimension of statistics that counts it. */
export const UTM = [
  ['utm_source', 'Source', 'utmSource'],
  ['utm_medium', 'Medium', 'utmMedium'],
  ['utm_campaign', 'UTM campaign', 'utmCampaign'],
  ['utm_term', 'Term', null],
  ['utm_content', 'Content', null],
] as const;
export type UtmName = (typeof UTM)[number][0];

/** Null for a text that is no web address. */
function webAddress(text: string): URL | null {
  const url = URL.parse(text.trim());
  return url !== null && /^https?:$/.test(url.protocol) ? url : null;
}

export function isWebAddress(text: string): boolean {
  return webAddress(text) !== null;
}

/** The first value of each, decoded; empty ones are as good as none. */
export function readUtm(address: string): Readonly<Record<UtmName, string>> {
  const params = webAddress(address)?.searchParams;
  return Object.fromEntries(UTM.map(([name]) => [name, params?.get(name) ?? ''])) as Record<UtmName, string>;
}

/** The address with a parameter in place of all of its name; an empty value removes it. Other parameters stay. */
export function setUtm(address: string, name: UtmName, value: string): string {
  const url = webAddress(address);
  if (url === null) return address;
  // Other parameters keep their bytes: `URLSearchParams` would write all of them anew.
  const others = url.search
    .slice(1)
    .split('&')
    .filter((part) => part !== '' && nameOf(part) !== name);
  const own = value === '' ? [] : [`${name}=${encodeURIComponent(value)}`];
  url.search = [...others, ...own].join('&');
  return url.href;
}

function nameOf(part: string): string {
  return [...new URLSearchParams(part).keys()][0] ?? '';
}

/** Values in addresses, those of the first addresses first. */
export function usedUtm(addresses: readonly (string | null)[]): Readonly<Record<UtmName, string[]>> {
  const read = addresses.map((address) => readUtm(address ?? ''));
  return Object.fromEntries(
    UTM.map(([name]) => [
      name,
      [...new Set(read.map((values) => values[name]).filter((value) => value !== ''))],
    ]),
  ) as Record<UtmName, string[]>;
}
