import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import type { FastifyRequest, preParsingHookHandler } from 'fastify';
import { AppError } from '../errors.ts';
import type { Api } from './server.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Counts the bytes of a body whose length was not announced, before it is parsed. @throws AppError to refuse it. */
    spendBytes: ((bytes: number) => Promise<void>) | null;
  }
}

const JSON_TYPE = 'application/json';
const MAX_DEPTH = 64;
/** More than a batch of 500 events has. 50,000 distinct fields take some 40 ms of the event loop, values far less. */
const MAX_FIELDS_OF_LIST = 50_000;
const MAX_FIELDS = 10_000;
const MAX_COMMAS = 250_000;
/** Of the shortest field, `"":1,`. */
const LEAST_FIELD_BYTES = 5;
const [QUOTE, BACKSLASH, COLON, COMMA] = Buffer.from('"\\:,');

/**
 * Parses a JSON body and refuses what no field may hold: deep nesting, more than 10,000 fields, NUL characters (PostgreSQL
 * cannot store them), halves of surrogate pairs (no UTF-8 form), numbers beyond all that is finite here (`1e999`), and keys
 * named `__proto__`. An empty body is `undefined`.
 */
export const parseJsonBody: BodyParser = parserOf(parseJson);

/**
 * The same of a body with a list, each of whose items is looked at by itself: what no field may hold is one item's fault,
 * and an AppError stands in that item's place.
 * @param maxItems of a longer list, which is refused anyway, the first fault is the body's.
 */
export function parseListBody(list: string, maxItems: number): BodyParser {
  return parserOf((body) => parseList(body, list, maxItems));
}

/** The stream of a request without a body has ended before anybody listens: who names its type would be waited for. */
export const readNoBody: preParsingHookHandler = ({ raw, headers }, _reply, body, done) => {
  done(null, raw.closed && headers['content-type'] !== undefined ? Readable.from([]) : body);
};

/** Has the routes of a scope read their JSON bodies in a way of their own. */
export function readBodiesWith(scope: Api, parser: BodyParser): void {
  scope.removeContentTypeParser(JSON_TYPE);
  scope.addContentTypeParser(JSON_TYPE, { parseAs: 'buffer' }, parser);
}

type BodyParser = (
  request: FastifyRequest,
  body: Buffer,
  done: (error: Error | null, body?: unknown) => void,
) => void;

function parserOf(parse: (body: Buffer) => unknown): BodyParser {
  return (request, body, done) => {
    const parseBody = () => {
      try {
        done(null, body.length === 0 ? undefined : parse(body));
      } catch (error) {
        done(error as Error);
      }
    };
    if (request.spendBytes === null) parseBody();
    else request.spendBytes(body.length).then(parseBody, done);
  };
}

/** What `parseJsonBody` does, of any bytes. @throws AppError that says what is wrong with them. */
export function parseJson(body: Buffer): unknown {
  const value = readJson(body, MAX_FIELDS);
  checkJson(value, 'The body');
  return value;
}

function parseList(body: Buffer, list: string, maxItems: number): unknown {
  const value = readJson(body, MAX_FIELDS_OF_LIST);
  const items = listIn(value, list);
  if (items === null || items.length > maxItems) {
    checkJson(value, 'The body');
    return value;
  }
  const { [list]: _items, ...rest } = value as Record<string, unknown>;
  checkJson(rest, 'The body');
  return { ...rest, [list]: items.map((item) => faultIn(item) ?? item) };
}

function listIn(value: unknown, list: string): unknown[] | null {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, list)) return null;
  const items = (value as Record<string, unknown>)[list];
  return Array.isArray(items) ? items : null;
}

function faultIn(item: unknown): AppError | null {
  try {
    checkJson(item, 'The item');
    return null;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

function readJson(body: Buffer, maxFields: number): unknown {
  checkCounts(body, maxFields);
  if (!isUtf8(body)) throw new AppError('request.invalid_json');
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch {
    throw new AppError('request.invalid_json');
  }
}

/**
 * Counts fields and commas before anything is parsed, since parsing and walking very many blocks the event loop. Colons and
 * commas within strings do not count.
 */
function checkCounts(body: Buffer, maxFields: number): void {
  if (body.length < maxFields * LEAST_FIELD_BYTES) return;
  let fields = 0;
  let commas = 0;
  let isInString = false;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at];
    if (byte === QUOTE) isInString = !isInString;
    else if (isInString) at += byte === BACKSLASH ? 1 : 0;
    else if (byte === COLON) fields += 1;
    else if (byte === COMMA) commas += 1;
  }
  if (fields > maxFields || commas > MAX_COMMAS)
    throw new AppError('request.invalid', {
      message: `The body has more than ${maxFields} fields or ${MAX_COMMAS} values. Send less at once.`,
    });
}

interface Container {
  readonly value: object;
  readonly depth: number;
  readonly field: string;
}

/** Walks without recursion: the depth is the sender's choice, the stack is ours. Only what holds more is kept waiting. */
function checkJson(root: unknown, name: string): void {
  const waiting: Container[] = [];
  checkValue(root, 0, name, waiting);
  for (let container = waiting.pop(); container !== undefined; container = waiting.pop()) {
    const { value, depth, field } = container;
    if (Array.isArray(value)) {
      for (const element of value) checkValue(element, depth + 1, field, waiting);
      continue;
    }
    for (const [key, child] of Object.entries(value)) {
      checkText(key, field);
      if (key === '__proto__')
        throw new AppError('request.invalid', { message: 'No field may be named __proto__.' });
      checkValue(child, depth + 1, depth === 0 ? key : `${field}.${key}`, waiting);
    }
  }
}

function checkValue(value: unknown, depth: number, field: string, waiting: Container[]): void {
  if (typeof value === 'string') checkText(value, field);
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new AppError('request.invalid', { message: `${field} holds a number that is too large.` });
  if (typeof value !== 'object' || value === null) return;
  if (depth === MAX_DEPTH) throw new AppError('request.too_deep');
  if (Object.keys(value).length > 0) waiting.push({ value, depth, field });
}

/** @throws AppError that names the field, when `text` cannot be stored as it is. */
export function checkText(text: string, field: string): void {
  if (!isStorableText(text))
    throw new AppError('request.invalid_text', {
      message: `${field} holds a NUL character or half of a surrogate pair. Remove it and send again.`,
    });
}

function isStorableText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
