import type { IncomingMessage } from 'node:http';
import type { ClickLog } from '../click-log/index.ts';
import { toFlag } from '../db/index.ts';
import type { PageReport } from '../devices/index.ts';
import type { Foundation } from '../foundation.ts';
import { isoTime } from '../lib/clock.ts';
import type { Countries } from '../lib/countries.ts';
import { truncateUtf8, truncateWell, withoutControls } from '../lib/text.ts';
import type { ResolvedLink } from '../links/index.ts';
import type { Visitor } from './visitors/index.ts';
import { readClientHints } from './visitors/index.ts';

const MAX_USER_AGENT_BYTES = 1_024;
const MAX_ACCEPT_LANGUAGE_BYTES = 255;

interface ClassifiedTap {
  readonly link: ResolvedLink;
  readonly visitor: Visitor;
  /** The visitor's IP address. */
  readonly address: string | undefined;
  readonly request: Pick<IncomingMessage, 'url' | 'headers'>;
}

/** Records a tap as a click. If `onDisk` resolves to false, no click with this `id` exists. */
export function recordClick(
  {
    clock,
    ids,
    secrets,
    countries,
    clickLog,
  }: Pick<Foundation, 'clock' | 'ids' | 'secrets'> & {
    countries: Countries;
    clickLog: Pick<ClickLog, 'record'>;
  },
  { link, visitor, address, request }: ClassifiedTap,
): { readonly id: string; readonly onDisk: Promise<boolean> } {
  const { headers } = request;
  const { model, platformVersion } = readClientHints(headers);
  const id = ids.next();
  const onDisk = clickLog.record({
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
    clicked_at: isoTime(clock.nowMs()),
    visitor_reason: visitor.reason,
    device_model: model,
    fingerprint: platformVersion === null ? null : JSON.stringify({ platformVersion } satisfies PageReport),
    country: countries.of(address),
    ...readSource(request),
    rule_id: null,
    path_rest: null,
    erased: null,
    erased_at: null,
  });
  return { id, onDisk };
}

function truncate(header: string | undefined, maxBytes: number): string | null {
  return header === undefined ? null : truncateUtf8(withoutControls(header), maxBytes);
}

/** The `utm_*` parameters; null where there is none. */
interface Utm {
  readonly source: string | null;
  readonly medium: string | null;
  readonly campaign: string | null;
  readonly term: string | null;
  readonly content: string | null;
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
/** Of the address, before decoding; parsing more takes too long. */
const MAX_QUERY_CHARACTERS = 4_096;
const MAX_UTM_CHARACTERS = 128;
const MAX_HOST_CHARACTERS = 253;
/** Fields of `Utm`, those that statistics are grouped by first. */
const UTM_FIELDS = ['source', 'medium', 'campaign', 'content', 'term'] as const;
const UTM_NAMES = new Set<string>(UTM_FIELDS.map((field) => `utm_${field}`));
const NO_UTM: Utm = { source: null, medium: null, campaign: null, term: null, content: null };
/** Names that advertising networks add to addresses, such as `gclid` and `fbclid`. */
const TAG = /clid$|^(utm_|gbraid$|wbraid$|li_fat_id$)/i;

/**
 * Values beyond the limits are left out. The referring host and the values of `Utm` have precedence, then click IDs of
 * advertising networks, then other parameters; last come the parameters that `Utm` repeats.
 */
export function readSource({ url = '', headers }: Pick<IncomingMessage, 'url' | 'headers'>): Source {
  const referrer = hostOf(headers.referer);
  const queryStart = url.indexOf('?');
  if (queryStart === -1) return { referrer, utm: null, query: null };
  const parameters = parse(url.slice(queryStart + 1));
  const freeBytes = MAX_STORED_BYTES - (referrer?.length ?? 0);
  const utm = utmIn(parameters, freeBytes);
  return { referrer, utm, query: queryIn(parameters, freeBytes - bytesOf(utm ?? '')) };
}

/** Of a repeated parameter the last one counts. */
function parse(query: string): ReadonlyMap<string, string> {
  let text = query.slice(0, MAX_QUERY_CHARACTERS);
  // A parameter that the limit cuts is left out.
  if (text.length < query.length) text = text.slice(0, Math.max(0, text.lastIndexOf('&')));
  const parameters = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text))
    parameters.set(withoutControls(name), withoutControls(value));
  return parameters;
}

function utmIn(parameters: ReadonlyMap<string, string>, maxBytes: number): string | null {
  const utm: Record<keyof Utm, string | null> = { ...NO_UTM };
  for (const field of UTM_FIELDS)
    utm[field] = truncateWell(parameters.get(`utm_${field}`) ?? '', MAX_UTM_CHARACTERS) || null;
  for (const field of UTM_FIELDS.toReversed()) {
    if (UTM_FIELDS.every((other) => utm[other] === null)) return null;
    const json = JSON.stringify(utm);
    if (bytesOf(json) <= maxBytes) return json;
    utm[field] = null;
  }
  return null;
}

function queryIn(parameters: ReadonlyMap<string, string>, maxBytes: number): string | null {
  const kept = new Set<string>();
  let bytes = '{}'.length;
  for (const [name, value] of byRank(parameters)) {
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

function byRank(parameters: ReadonlyMap<string, string>): Parameter[] {
  const [tags, others, repeated]: [Parameter[], Parameter[], Parameter[]] = [[], [], []];
  for (const parameter of parameters) {
    if (UTM_NAMES.has(parameter[0])) repeated.push(parameter);
    else if (TAG.test(parameter[0])) tags.push(parameter);
    else others.push(parameter);
  }
  return [...tags, ...others, ...repeated];
}

function bytesOf(text: string): number {
  return Buffer.byteLength(text);
}

function hostOf(referer: string | undefined): string | null {
  if (referer === undefined) return null;
  return URL.parse(referer)?.hostname.slice(0, MAX_HOST_CHARACTERS) || null;
}
