import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import type { FastifyRequest, preParsingHookHandler, preValidationHookHandler } from 'fastify';
import { AppError } from '../errors.ts';
import type { Api } from './server.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Counts the bytes of a chunked body before it is parsed. @throws AppError to refuse it. */
    spendBytes: ((bytes: number) => Promise<void>) | null;
  }
}

/** Body limit of a route, unless it has its own. */
export const MAX_BODY_BYTES = 256 * 1024;
/** Body limit of a route that takes a list of records. */
export const MAX_BATCH_BYTES = 4 * 1024 * 1024;
/** Levels of objects and lists in a body, or in an item of a list. */
export const MAX_DEPTH = 64;
/** 50,000 distinct fields take about 40 ms of the event loop, values far less. */
export const MAX_FIELDS_OF_LIST = 50_000;
const MAX_FIELDS = 10_000;
/** Commas outside of strings. */
export const MAX_COMMAS = 250_000;

const JSON_TYPE = 'application/json';
/** The shortest field: `"":1,`. */
const MIN_FIELD_BYTES = 5;
const [QUOTE, BACKSLASH, COLON, COMMA] = Buffer.from('"\\:,');

/**
 * Parses a JSON body; an empty one is `undefined`. Refuses deep nesting, more than 10,000 fields, NUL characters (PostgreSQL
 * cannot store them), lone surrogates (not valid UTF-8), infinite numbers (`1e999`) and keys named `__proto__`.
 */
export const parseJsonBody: BodyParser = parserOf(parseJson);

/**
 * As `parseJsonBody`, but an AppError replaces each invalid item of the field `list`.
 * @param maxItems an invalid item of a longer list, which the route refuses, makes the whole body invalid.
 */
export function parseListBody(list: string, maxItems: number): BodyParser {
  return parserOf((body) => parseList(body, list, maxItems));
}

/** Any JSON of as many fields as a list may have, made by `clean` to what the route may store. */
export function parseCleaned(clean: (body: unknown) => unknown): BodyParser {
  return parserOf((body) => clean(readJson(body, MAX_FIELDS_OF_LIST)));
}

/** With `optimizeEmptyRequests`, the stream of an empty body has ended already, and the content type parser would wait. */
export const endEmptyBody: preParsingHookHandler = ({ raw, headers }, _reply, body, done) => {
  done(null, raw.closed && headers['content-type'] !== undefined ? Readable.from([]) : body);
};

/** Replaces the JSON parser of the routes in a scope. */
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

/** As `parseJsonBody`, for any bytes. @throws AppError */
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
  return { ...rest, [list]: items.map((item) => findError(item) ?? item) };
}

function listIn(value: unknown, list: string): unknown[] | null {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, list)) return null;
  const items = (value as Record<string, unknown>)[list];
  return Array.isArray(items) ? items : null;
}

function findError(item: unknown): AppError | null {
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

/** Counts fields and commas outside of strings before the body is parsed: parsing very many blocks the event loop. */
function checkCounts(body: Buffer, maxFields: number): void {
  if (body.length < maxFields * MIN_FIELD_BYTES) return;
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

/** Without recursion: the sender chooses the depth. */
export function checkJson(root: unknown, name: string): void {
  const pending: Container[] = [];
  checkValue(root, 0, name, pending);
  for (let container = pending.pop(); container !== undefined; container = pending.pop()) {
    const { value, depth, field } = container;
    if (Array.isArray(value)) {
      for (const element of value) checkValue(element, depth + 1, field, pending);
      continue;
    }
    for (const [key, child] of Object.entries(value)) {
      checkText(key, field);
      if (key === '__proto__')
        throw new AppError('request.invalid', { message: 'The field name __proto__ is not allowed.' });
      checkValue(child, depth + 1, depth === 0 ? key : `${field}.${key}`, pending);
    }
  }
}

function checkValue(value: unknown, depth: number, field: string, pending: Container[]): void {
  if (typeof value === 'string') checkText(value, field);
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new AppError('request.invalid', { message: `${field} contains a number that is too large.` });
  if (typeof value !== 'object' || value === null) return;
  if (depth === MAX_DEPTH) throw new AppError('request.too_deep');
  if (Object.keys(value).length > 0) pending.push({ value, depth, field });
}

/** Refuses query parameters with text that a body could not contain. */
export const checkQuery: preValidationHookHandler = ({ query }, _reply, done) => {
  for (const [name, value] of Object.entries(query as object))
    if (typeof value === 'string') checkText(value, name);
  done();
};

/** @throws AppError `request.invalid_text` */
function checkText(text: string, field: string): void {
  if (text.includes('\0') || !text.isWellFormed())
    throw new AppError('request.invalid_text', {
      message: `${field} contains a NUL character or a lone surrogate. Remove it and send again.`,
    });
}
