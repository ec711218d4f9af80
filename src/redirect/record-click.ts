import type { IncomingHttpHeaders } from 'node:http';
import { type ClickLog, MAX_UTM_CHARACTERS, UTM_FIELDS, utmIn } from '../click-log/index.ts';
import { toFlag } from '../db/index.ts';
import type { PageReport } from '../devices/index.ts';
import type { Foundation } from '../foundation.ts';
import { isoTime } from '../lib/clock.ts';
import { truncateUtf8, withoutControls } from '../lib/text.ts';
import { matcherOf, parseQuery, type RoutedLink } from '../links/index.ts';
import type { Visitor } from './visitors/index.ts';
import { readClientHints } from './visitors/index.ts';

const MAX_USER_AGENT_BYTES = 1_024;
const MAX_ACCEPT_LANGUAGE_BYTES = 255;

interface RoutedTap {
  /** As the visitor gets it. */
  readonly link: RoutedLink;
  /** Of the new click. */
  readonly id: string;
  readonly clickedAtMs: number;
  readonly visitor: Visitor;
  /** The visitor's IP address. */
  readonly address: string | undefined;
  readonly country: string | null;
  /** As `queryOf` reads it. */
  readonly query: ReadonlyMap<string, string>;
  readonly headers: IncomingHttpHeaders;
}

/** Records a tap as a click. @returns false if no click with this `id` exists. */
export function recordClick(
  { secrets, clickLog }: Pick<Foundation, 'secrets'> & { clickLog: Pick<ClickLog, 'record'> },
  { link, id, clickedAtMs, visitor, address, country, query, headers }: RoutedTap,
): Promise<boolean> {
  const { model, platformVersion } = readClientHints(headers);
  return clickLog.record({
    app_id: link.appId,
    id,
    link_id: link.id,
    campaign_id: link.campaignId,
    sandbox: toFlag(link.sandbox),
    visitor: visitor.kind,
    platform: visitor.platform,
    ip_hash: secrets.hashAddress(link.appId, address),
    user_agent: truncate(headers['user-agent'], MAX_USER_AGENT_BYTES),
    accept_language: truncate(headers['accept-language'], MAX_ACCEPT_LANGUAGE_BYTES),
    clicked_at: isoTime(clickedAtMs),
    visitor_reason: visitor.reason,
    device_model: model,
    fingerprint: platformVersion === null ? null : JSON.stringify({ platformVersion } satisfies PageReport),
    country,
    ...readSource(headers.referer, query, askedOf(link)),
    rule_id: link.rule?.id ?? null,
    path_rest: link.rest || null,
    erased: null,
    erased_at: null,
  });
}

/** The parameters of a tap. */
export function queryOf(url: string): ReadonlyMap<string, string> {
  return parseQuery(url, withoutControls);
}

/** Whether a link carries a parameter on, or asks for it: an install or a tablet is to get the same again. */
function askedOf({ passQuery, rules }: RoutedLink): (name: string) => boolean {
  return (name) =>
    matcherOf(passQuery)(name) ||
    rules.some(({ when }) => when.query !== undefined && Object.hasOwn(when.query, name));
}

function truncate(header: string | undefined, maxBytes: number): string | null {
  return header === undefined ? null : truncateUtf8(withoutControls(header), maxBytes);
}

/** As stored with a click, together at most `MAX_STORED_BYTES`. */
interface Source {
  /** A host name. */
  readonly referrer: string | null;
  /** `Utm` as JSON; null without any. */
  readonly utm: string | null;
  /** The parameters as a JSON object; null without any. */
  readonly query: string | null;
}

type Parameter = readonly [name: string, value: string];

/** In UTF-8, as JSON: taps need no key, so what a visitor sends must not fill the journal. */
const MAX_STORED_BYTES = 1_024;
const MAX_PARAMETERS = 25;
const MAX_HOST_CHARACTERS = 253;
const UTM_NAMES = new Set<string>(UTM_FIELDS.map((field) => `utm_${field}`));
/** Names that advertising networks add to addresses, such as `gclid` and `fbclid`. */
const TAG = /clid$|^(utm_|gbraid$|wbraid$|li_fat_id$)/i;

/**
 * Values beyond the limits are left out. The referring host and the values of `Utm` have precedence, then what the link asks
 * for, then click IDs of advertising networks, then other parameters; last come the parameters that `Utm` repeats.
 */
export function readSource(
  referer: string | undefined,
  parameters: ReadonlyMap<string, string>,
  isAsked: (name: string) => boolean,
): Source {
  const referrer = hostOf(referer);
  if (parameters.size === 0) return { referrer, utm: null, query: null };
  const freeBytes = MAX_STORED_BYTES - (referrer?.length ?? 0);
  const utm = utmIn(parameters, freeBytes);
  return { referrer, utm, query: queryIn(parameters, isAsked, freeBytes - bytesOf(utm ?? '')) };
}

function queryIn(
  parameters: ReadonlyMap<string, string>,
  isAsked: (name: string) => boolean,
  maxBytes: number,
): string | null {
  const kept = new Set<string>();
  let bytes = '{}'.length;
  for (const [name, value] of byRank(parameters, isAsked)) {
    if (kept.size === MAX_PARAMETERS) break;
    if (bytes + name.length + value.length > maxBytes) continue;
    const added = bytesOf(JSON.stringify([name, value])) + (kept.size === 0 ? -2 : -1);
    if (bytes + added > maxBytes) continue;
    bytes += added;
    kept.add(name);
  }
  if (kept.size === 0) return null;
  return JSON.stringify(Object.fromEntries([...parameters].filter(([name]) => kept.has(name))));
}

function byRank(parameters: ReadonlyMap<string, string>, isAsked: (name: string) => boolean): Parameter[] {
  const [asked, tags, others, repeated]: [Parameter[], Parameter[], Parameter[], Parameter[]] = [
    [],
    [],
    [],
    [],
  ];
  for (const parameter of parameters) {
    const [name, value] = parameter;
    if (UTM_NAMES.has(name) && value.length <= MAX_UTM_CHARACTERS) repeated.push(parameter);
    else if (isAsked(name)) asked.push(parameter);
    else if (UTM_NAMES.has(name)) repeated.push(parameter);
    else if (TAG.test(name)) tags.push(parameter);
    else others.push(parameter);
  }
  return [...asked, ...tags, ...others, ...repeated];
}

function bytesOf(text: string): number {
  return Buffer.byteLength(text);
}

function hostOf(referer: string | undefined): string | null {
  if (referer === undefined) return null;
  return URL.parse(referer)?.hostname.slice(0, MAX_HOST_CHARACTERS) || null;
}
