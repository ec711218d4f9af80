/** What was probably meant by a text that was typed or pasted where the path of a screen of the app belongs. */

/** Fields of a link as their texts in the form. */
export interface Taken {
  readonly deepLinkPath?: string;
  readonly deepLinkParams?: string;
  readonly campaignId?: string;
  readonly iosDestination?: string;
  readonly androidDestination?: string;
  readonly fallbackUrl?: string;
}

export type Meaning =
  /** A path as apps know it, to be taken as it is. */
  | { readonly kind: 'path'; readonly path: string }
  /** An address, whose parts belong to several fields. */
  | {
      readonly kind: 'address';
      readonly taken: Taken;
      readonly utm: readonly (readonly [name: string, value: string])[];
      /** What was left out or changed, in sentences. */
      readonly notes: readonly string[];
      /** Whether it may be a path all the same, such as one that begins with a file name. */
      readonly maybePath: boolean;
    }
  /** A path with spaces, and what can be meant. */
  | { readonly kind: 'spaces'; readonly offers: readonly string[] }
  | { readonly kind: 'wrong'; readonly text: string };

/** Of a path and of an address, as the service counts: in characters. */
export const MAX_CHARACTERS = 2_048;
const MAX_CAMPAIGN = 255;

const SCHEME = /^([a-z][a-z\d+.-]*):(.*)$/is;
/** `shop.example.com/sale`, as address bars show it: a name of two labels or more that ends in letters. */
const BARE_HOST = /^(?:[^\s/?#:@.]+\.)+(?:\p{L}{2,}|xn--[a-z\d-]+)(?::\d+)?(?:[/?#]|$)/iu;

/** @param ownHosts of short links, which lead back here. */
export function takeApart(given: string, ownHosts: readonly string[] = []): Meaning {
  const text = given.trim();
  const scheme = SCHEME.exec(text)?.[1]?.toLowerCase();
  if (scheme === 'http' || scheme === 'https') return ofWeb(text, ownHosts, false);
  if (text.startsWith('//')) return ofWeb(`https:${text}`, ownHosts, false);
  if (BARE_HOST.test(text)) return ofWeb(`https://${text}`, ownHosts, true);
  if (scheme !== undefined) return ofScheme(text, scheme);
  if (/\s/.test(text)) return ofSpaces(text);
  return isTooLong(text) ? tooLong('path', text) : { kind: 'path', path: text };
}

function ofSpaces(text: string): Meaning {
  const path = `/${text.replace(/^\//, '')}`;
  const offers = [path.replaceAll(/\s+/g, '-'), path.replaceAll(/\s/g, (space) => encodeURIComponent(space))];
  return offers.every(isTooLong) ? tooLong('path', text) : { kind: 'spaces', offers };
}

/** Which of a link's addresses a page of a store is. */
const STORES: readonly (readonly [
  store: string,
  field: 'iosDestination' | 'androidDestination',
  at: RegExp,
])[] = [
  [
    'App Store',
    'iosDestination',
    /^(?:https?:\/\/(?:geo\.)?(?:apps|itunes)\.apple\.com|itms-apps:|itms-appss:)/i,
  ],
  ['Google Play', 'androidDestination', /^(?:https?:\/\/play\.google\.com\/store|market:)/i],
];

function ofStore(href: string): Meaning | null {
  const [store, field] = STORES.find(([, , at]) => at.test(href)) ?? [];
  if (store === undefined || field === undefined) return null;
  if (isTooLong(href)) return tooLong('address', href);
  const phones = field === 'iosDestination' ? 'iPhones and iPads' : 'Android phones';
  return {
    ...{ kind: 'address', taken: { [field]: href }, utm: [], maybePath: false },
    notes: [
      `This is a page of the ${store}: ${phones} without the app go there. Which screen the app opens is not in it.`,
    ],
  };
}

/** Parameters that stand for the one visit which the address was copied from. */
const OF_ONE_VISIT = new Set([
  ...[
    'gclid',
    'gclsrc',
    'dclid',
    'gbraid',
    'wbraid',
    'gad_source',
    'gad_campaignid',
    'srsltid',
    '_ga',
    '_gl',
  ],
  ...['fbclid', 'msclkid', 'ttclid', 'twclid', 'li_fat_id', 'igshid', 'igsh', 'scclid', 'epik', 'yclid'],
  ...['mc_eid', 'mkt_tok', '_hsenc', '_hsmi', 'svc_click_id'],
]);

function ofWeb(text: string, ownHosts: readonly string[], maybePath: boolean): Meaning {
  const url = URL.parse(text);
  if (url === null)
    return wrong(
      'This looks like an address, but browsers cannot read it. Check its host, such as https://shop.example.com/sale, or write the path alone.',
    );
  const notes: string[] = [];
  if (url.username !== '' || url.password !== '') {
    url.username = '';
    url.password = '';
    notes.push('The user name and password in it were left out: everybody who taps would get them.');
  }
  const store = ofStore(url.href);
  if (store !== null) return store;
  if (ownHosts.includes(url.host) && /^\/l\/[\w-]+\/?$/.test(url.pathname))
    return wrong(
      'This is a short link of this service. To make another like it, open it in the list and choose Duplicate.',
    );
  const visit = dropVisit(url);
  if (visit.length > 0)
    notes.push(
      `${visit.join(', ')} ${visit.length === 1 ? 'was' : 'were'} left out: ${visit.length === 1 ? 'it stands' : 'they stand'} for one visit.`,
    );
  notes.push(...notesOf(url, text));
  const utm = [...url.searchParams].filter(([name]) => isUtm(name));
  const params = paramsOf([...url.searchParams].filter(([name]) => !isUtm(name)));
  const campaign = url.searchParams.get('utm_campaign')?.trim() ?? '';
  const taken = {
    deepLinkPath: pathOf(url),
    ...(params !== null && { deepLinkParams: params }),
    ...(campaign !== '' && campaign.length <= MAX_CAMPAIGN && { campaignId: campaign }),
    fallbackUrl: url.href,
  };
  if (isTooLong(taken.fallbackUrl)) return tooLong('address', taken.fallbackUrl);
  return { kind: 'address', taken, utm, notes, maybePath };
}

/** The path, or that of a page which keeps it behind the #. */
function pathOf({ pathname, hash }: URL): string {
  const route = /^#!?(\/[^?]*)/.exec(hash)?.[1];
  return pathname === '/' && route !== undefined ? route : pathname;
}

function notesOf(url: URL, text: string): string[] {
  const notes: string[] = [];
  const host = /^[^/]*\/\/(?:[^/?#]*@)?([^/?#:]*)/.exec(text)?.[1]?.toLowerCase() ?? '';
  if (/[^\u0020-\u007e]/.test(host)) notes.push(`${host} is written ${url.hostname} in addresses.`);
  if (/\s/.test(text)) notes.push('Spaces are written %20.');
  if (url.hash !== '' && pathOf(url) === url.pathname)
    notes.push(`${url.hash} stays in the address. The app does not get it.`);
  return notes;
}

function isUtm(name: string): boolean {
  return name.toLowerCase().startsWith('utm_');
}

/** @returns the names of what was removed. */
function dropVisit(url: URL): string[] {
  const names = [...new Set(url.searchParams.keys())].filter((name) => OF_ONE_VISIT.has(name.toLowerCase()));
  for (const name of names) url.searchParams.delete(name);
  return names;
}

/** As the JSON object of the form; what has no name cannot be in it. */
function paramsOf(entries: readonly (readonly [string, string])[]): string | null {
  const values = new Map<string, string | string[]>();
  for (const [name, value] of entries) {
    const before = values.get(name);
    values.set(name, before === undefined ? value : [...[before].flat(), value]);
  }
  return values.size === 0 ? null : JSON.stringify(Object.fromEntries(values), null, 2);
}

/** Schemes of browsers and systems, which open no screen of an app. */
const NO_APP =
  /^(?:javascript|vbscript|data|blob|file|filesystem|about|ftp|wss?|mailto|tel|sms|intent|android-app|view-source|chrome)$/;

/** An app's own address: its host is the first part of the path, as apps read it. */
function ofScheme(text: string, scheme: string): Meaning {
  const store = ofStore(text);
  if (store !== null) return store;
  if (NO_APP.test(scheme))
    return wrong(
      `An address with ${scheme}: opens no screen of the app. Write the path of a screen, such as /sale, or a web address.`,
    );
  const [beforeQuery = '', query = ''] = text
    .slice(scheme.length + 1)
    .replace(/#.*$/s, '')
    .split(/\?(.*)/s);
  const path = `/${beforeQuery.replace(/^\/+/, '').trim()}`;
  if (/\s/.test(path)) return ofSpaces(path);
  const entries = [...new URLSearchParams(query)];
  const params = paramsOf(entries.filter(([name]) => !isUtm(name)));
  if (isTooLong(path)) return tooLong('path', path);
  return {
    kind: 'address',
    taken: { deepLinkPath: path, ...(params !== null && { deepLinkParams: params }) },
    utm: [],
    notes: [
      `${scheme}: is left out: the app gets the path from every kind of link. Its scheme is in Settings.`,
      ...(entries.some(([name]) => isUtm(name))
        ? ['UTM parameters are left out: they belong on a web address.']
        : []),
    ],
    maybePath: false,
  };
}

function wrong(text: string): Meaning {
  return { kind: 'wrong', text };
}

function isTooLong(text: string): boolean {
  return [...text].length > MAX_CHARACTERS;
}

function tooLong(what: 'path' | 'address', text: string): Meaning {
  const count = [...text].length.toLocaleString('en-GB');
  return wrong(
    `This ${what} has ${count} characters, and a link takes 2,048. Leave out parameters that the page does not need.`,
  );
}
