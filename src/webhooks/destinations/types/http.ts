import { type Static, Type } from 'typebox';
import { type DestinationType, type ForwardedRecord, IDENTIFIERS } from '../destination-type.ts';
import { readPath } from '../record-path.ts';
import {
  Filling,
  fillJson,
  fillText,
  isPlaceholder,
  placeholdersOf,
  problemOfJson,
  problemOfText,
} from '../template.ts';

const MAX_URL_CHARACTERS = 2_048;
const MAX_URL_PLACEHOLDERS = 20;
const MAX_FILLED_URL_CHARACTERS = 8_192;
const MAX_HEADERS = 20;
const MAX_HEADER_CHARACTERS = 4_096;
const MAX_TEMPLATE_BYTES = 16 * 1024;
const MAX_BODY_BYTES = 64 * 1024;

const Config = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      maxLength: MAX_URL_CHARACTERS,
      description:
        'Address of the receiver, http(s). Path and query may have placeholders such as {{installId}}, whose values are percent-encoded',
    }),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String({ maxLength: MAX_HEADER_CHARACTERS }), {
        maxProperties: MAX_HEADERS,
        description: 'Sent as they are, for example Authorization. They are not shown again',
      }),
    ),
    body: Type.Unknown({
      description:
        'JSON, or JSON as text, whose texts may have placeholders. "{{revenue.amountAsNumber}}" becomes a number, or null without revenue; "Plan {{properties.plan}}" becomes a text; "{{record}}" becomes all there is',
    }),
  },
  { additionalProperties: false },
);
type HttpConfig = Static<typeof Config>;

interface HttpItem {
  readonly url: string;
  /** JSON. */
  readonly body: unknown;
}

/** Scheme and host; path; query. */
const URL_PARTS = /^(https?:\/\/[^/?#\\{}\s@]+)(\/[^?#\\\s]*)?(\?[^#\\\s]*)?$/i;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]{1,100}$/;
/** What the service sets itself, and what would change how the request is framed. */
const OWN_HEADERS = new Set([
  ...['host', 'connection', 'keep-alive', 'proxy-connection', 'proxy-authorization', 'upgrade', 'te'],
  ...['trailer', 'transfer-encoding', 'content-length', 'content-encoding', 'accept-encoding', 'expect'],
]);
const JSON_TYPE = /^[a-z]+\/([a-z0-9.+-]+\+)?json\s*(;.*)?$/i;

/** A receiver of one's own, with a body of one's own. */
export const http: DestinationType<HttpConfig, HttpItem> = {
  type: 'http',
  title: 'HTTP',
  documentation: 'docs/guide/http-destinations.md',
  config: Config,
  secrets: ['headers'],
  limits: {
    maxItems: 1,
    maxBytes: MAX_BODY_BYTES,
    maxItemBytes: MAX_BODY_BYTES,
    maxAgeMs: null,
    intervalMs: null,
  },
  fields: ['**', '?*', 'header:*'],
  mappable: {},
  checkConfig: ({ url, headers = {}, body }) =>
    problemOfUrl(url) ?? problemOfHeaders(headers) ?? problemOfBody(body),
  toItem(record, { url, body }) {
    const missing = placeholdersOf(pathOf(url)).find((path) => isMissing(record, path));
    if (missing !== undefined)
      return {
        unsendable: `The record has no ${missing}, which the path of url needs.`,
        ...missingIdentifier(missing),
      };
    const inUrl = new Filling(record, MAX_FILLED_URL_CHARACTERS, (value) =>
      encodeURIComponent(value.toWellFormed()),
    );
    const filledUrl = fillText(url, inUrl);
    if (inUrl.isTooLong || filledUrl.length > MAX_FILLED_URL_CHARACTERS)
      return { unsendable: `url would have more than ${MAX_FILLED_URL_CHARACTERS} characters.` };
    if (hasDotSegment(pathOf(filledUrl)))
      return { unsendable: 'A value would change the path of url: “.” or “..” must not stand alone in it.' };
    const inBody = new Filling(record, MAX_BODY_BYTES);
    const filledBody = fillJson(parseBody(body), inBody);
    if (inBody.isTooLong) return { unsendable: `body would have more than ${MAX_BODY_BYTES} bytes.` };
    return { item: { url: filledUrl, body: filledBody } };
  },
  toCall([item], { headers = {} }, isTest) {
    if (item === undefined) throw new Error('a call has one record');
    const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
    const own = { 'content-type': 'application/json', ...(isTest && { 'x-service-test': 'true' }) };
    return {
      url: item.url,
      headers: { ...own, ...Object.fromEntries(named) },
      body: JSON.stringify(item.body),
    };
  },
  readResponse: () => null,
};

function problemOfUrl(url: string): string | null {
  if (!URL_PARTS.test(url) || !URL.canParse(url))
    return 'url must be an http or https address without a user name, spaces, backslashes or “#”, and with placeholders after the host only.';
  const problem = problemOfText(url);
  if (problem !== null) return `url ${problem}.`;
  if (placeholdersOf(url).length > MAX_URL_PLACEHOLDERS)
    return `url has more than ${MAX_URL_PLACEHOLDERS} placeholders.`;
  return hasDotSegment(pathOf(url)) ? 'url must not have “.” or “..” as part of its path.' : null;
}

function problemOfHeaders(headers: Readonly<Record<string, string>>): string | null {
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  const invalid = names.find((name) => !HEADER_NAME.test(name));
  if (invalid !== undefined) return `headers has “${invalid}”, which is no name of a header.`;
  const own = names.find((name) => OWN_HEADERS.has(name));
  if (own !== undefined) return `headers must not have ${own}: the service sets it.`;
  if (new Set(names).size < names.length) return 'headers has a name twice, in other letters.';
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[\x20-\x7e]*$/.test(value)) return `headers: ${name} must be printable ASCII.`;
    if (value.includes('{{')) return `headers: ${name} has a placeholder; headers are sent as they are.`;
    if (name.toLowerCase() === 'content-type' && !JSON_TYPE.test(value))
      return 'headers: Content-Type must be of JSON, such as application/vnd.api+json.';
  }
  return null;
}

function problemOfBody(body: unknown): string | null {
  const tooLong = `body must be at most ${MAX_TEMPLATE_BYTES / 1024} KiB.`;
  if (typeof body === 'string' && Buffer.byteLength(body) > MAX_TEMPLATE_BYTES) return tooLong;
  const template = parseBody(body);
  if (template === undefined)
    return 'body is a text that is not JSON. Send JSON, and put placeholders into texts: {"plan": "{{properties.plan}}"}.';
  const problem = problemOfJson(template);
  if (problem !== null) return `body ${problem}.`;
  return Buffer.byteLength(JSON.stringify(template)) > MAX_TEMPLATE_BYTES ? tooLong : null;
}

/** @returns undefined for a text that is not JSON; a text that is a placeholder alone stands for its value. */
function parseBody(body: unknown): unknown {
  if (typeof body !== 'string') return body;
  if (isPlaceholder(body.trim())) return body.trim();
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function pathOf(url: string): string {
  return URL_PARTS.exec(url)?.[2] ?? '';
}

/** URLs without them mean the same in every reader. */
function hasDotSegment(path: string): boolean {
  return path.split('/').some((segment) => /^(\.|%2e){1,2}$/i.test(segment));
}

function isMissing(record: ForwardedRecord, path: string): boolean {
  const value = readPath(record, path);
  return value === null || value === '';
}

function missingIdentifier(path: string) {
  const identifier = IDENTIFIERS.find((each) => path === `identifiers.${each}`);
  return identifier === undefined ? {} : { missingIdentifier: identifier };
}
