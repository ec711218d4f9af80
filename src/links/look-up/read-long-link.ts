/**
 * Long links of Firebase Dynamic Links, whose parameters are the whole link: firebase.google.com
 * `docs/dynamic-links/create-manually`. Pure.
 */
import { type FirebaseLongLinksSetting, isAllowedHost } from '../../apps/index.ts';
import { truncateWell, withoutControls } from '../../lib/text.ts';
import { isReserved, parseQuery } from '../choice/passed-parameters.ts';
import type { HostSettings } from './host-settings.ts';
import { MAX_REST_CHARACTERS } from './link-address.ts';

/** What a long link says. */
export interface LongLink {
  readonly deepLinkPath: string;
  readonly deepLinkParams: Readonly<Record<string, string>>;
  readonly campaignId: string | null;
  readonly iosDestination: string | null;
  readonly androidDestination: string | null;
  readonly fallbackUrl: string;
  readonly ogTitle: string | null;
  readonly ogDescription: string | null;
  readonly ogImage: string | null;
  /** Parameters that are not Firebase's, and the `utm_*`: the tap carries them on. */
  readonly others: ReadonlyMap<string, string>;
  /** Hosts to which it leads, those of stores left out. */
  readonly hosts: readonly string[];
}

/** Firebase's parameters, without the `utm_*`, which stay a visitor's. */
const OWN = new Set([
  ...['link', 'apn', 'afl', 'amv', 'ibi', 'ifl', 'ius', 'ipfl', 'ipbi', 'isi', 'imv', 'efr', 'ofl'],
  ...['st', 'sd', 'si', 'at', 'ct', 'mt', 'pt', 'd'],
]);
const FALLBACKS = ['ifl', 'afl', 'ofl', 'ipfl'] as const;
const STORE_PARAMETERS = ['pt', 'at', 'ct', 'mt'] as const;
const UTM = /^utm_/;
const MAX_STORE_VALUE_CHARACTERS = 128;
const MAX_CAMPAIGN_CHARACTERS = 255;
const MAX_TITLE_CHARACTERS = 255;
const MAX_DESCRIPTION_CHARACTERS = 1_000;

/**
 * Null for one that leads elsewhere than the app allows, or to an app that is not its own: it is nobody's link.
 * @param search of the address, with its question mark.
 */
export function readLongLink(search: string, settings: HostSettings): LongLink | null {
  const { firebaseLongLinks: allowed } = settings;
  const given = new URLSearchParams(search);
  if (allowed === null || !given.has('link')) return null;
  const link = allowedUrl(given.get('link'), allowed);
  const fallbacks = FALLBACKS.filter((name) => given.get(name)).map((name) =>
    allowedUrl(given.get(name), allowed),
  );
  if (link === null || fallbacks.includes(null)) return null;
  const store = storesOf(given, settings);
  if (store === null) return null;
  const fallback = (name: (typeof FALLBACKS)[number]) => allowedUrl(given.get(name), allowed)?.href ?? null;
  const others = new Map([...parseQuery(search, withoutControls)].filter(([name]) => !OWN.has(name)));
  const ofl = fallback('ofl');
  // `ofl` is for computers: phones without a store go to `link`.
  const onPhones = ofl === null ? null : link.href;
  return {
    deepLinkPath: link.pathname.replace(/^\/+/, '/'),
    deepLinkParams: paramsOf(link, others),
    campaignId: textOf(given, 'utm_campaign', MAX_CAMPAIGN_CHARACTERS),
    iosDestination: fallback('ifl') ?? store.ios ?? onPhones,
    androidDestination: fallback('afl') ?? store.android ?? onPhones,
    fallbackUrl: ofl ?? link.href,
    ogTitle: textOf(given, 'st', MAX_TITLE_CHARACTERS),
    ogDescription: textOf(given, 'sd', MAX_DESCRIPTION_CHARACTERS),
    ogImage: webUrl(given.get('si'))?.href ?? null,
    others,
    hosts: [link, ...fallbacks].flatMap((url) => url?.hostname ?? []),
  };
}

/** What follows the root link of a click, so that a later install gets `deepLinkPath`; null where it is too long. */
export function restOf({ deepLinkPath }: Pick<LongLink, 'deepLinkPath'>): string | null {
  const rest = deepLinkPath.slice(1);
  return rest === '' || rest.length > MAX_REST_CHARACTERS ? null : rest;
}

/** What a click keeps of the parameters. */
export function queryToStore({ deepLinkParams, others }: LongLink): ReadonlyMap<string, string> {
  return new Map([...others, ...Object.entries(deepLinkParams)]);
}

/** Of `link`; the `utm_*` of the long link itself count more. */
function paramsOf(link: URL, others: ReadonlyMap<string, string>): Record<string, string> {
  const params = [...parseQuery(link.search, withoutControls)].filter(([name]) => !isReserved(name));
  return Object.fromEntries(params.filter(([name]) => !(UTM.test(name) && others.has(name))));
}

/** A web address without user, port or trick: what browsers make of it is compared. */
function allowedUrl(text: string | null, allowed: FirebaseLongLinksSetting): URL | null {
  const url = webUrl(text);
  return url !== null && url.port === '' && isAllowedHost(allowed, url.hostname) ? url : null;
}

function webUrl(text: string | null): URL | null {
  const url = URL.parse(text ?? '');
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  return url.username === '' && url.password === '' ? url : null;
}

/**
 * Null if it names another app than the one of the host. While the app has no id of its own, none counts: anybody writes
 * addresses, and could lead its visitors to another app.
 */
function storesOf(given: URLSearchParams, { iosAppStoreId, androidPackage }: HostSettings) {
  const isi = iosAppStoreId && given.get('isi');
  const apn = androidPackage && given.get('apn');
  if ((isi && isi !== iosAppStoreId) || (apn && apn !== androidPackage)) return null;
  return { ios: isi ? appStore(isi, given) : null, android: apn ? play(apn, given) : null };
}

function appStore(isi: string, given: URLSearchParams): string {
  const url = new URL(`https://apps.apple.com/app/id${isi}`);
  for (const name of STORE_PARAMETERS) {
    const value = textOf(given, name, MAX_STORE_VALUE_CHARACTERS);
    if (value !== null) url.searchParams.set(name, value);
  }
  return url.href;
}

/** Google Play passes its referrer on to the installed app. */
function play(apn: string, given: URLSearchParams): string {
  const url = new URL(`https://play.google.com/store/apps/details?id=${apn}`);
  const utm = new URLSearchParams();
  for (const name of new Set(given.keys())) {
    const value = UTM.test(name) ? textOf(given, name, MAX_STORE_VALUE_CHARACTERS) : null;
    if (value !== null) utm.set(name, value);
  }
  if (utm.size > 0) url.searchParams.set('referrer', utm.toString());
  return url.href;
}

function textOf(given: URLSearchParams, name: string, maxCharacters: number): string | null {
  return truncateWell(withoutControls(given.get(name) ?? ''), maxCharacters).trim() || null;
}
