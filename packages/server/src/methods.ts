/** Turns generated operations into methods that take their parameters in order, throw, and try again. */
import { randomUUID } from 'node:crypto';
import { type Client, createClient } from './generated/client/index.ts';
import type { Options } from './generated/sdk.gen.ts';
import { type Sending, send } from './send.ts';

/** Of one call. */
export interface CallOptions {
  /** Ends the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** Of a call that creates a link or a webhook. */
export interface CreateOptions extends CallOptions {
  /** Calls with the same key and body create one. By default each call has its own key, which its retries repeat. */
  readonly idempotencyKey?: string;
}

/** Of a call that sends a file. */
export interface UploadOptions extends CallOptions {
  /** By default `text/csv`. */
  readonly contentType?: 'text/csv' | 'application/x-ndjson';
}

/**
 * Takes the parameters of the path, then the body or the query, then options. Rejects with ThroughlineError, or before
 * anything is sent with TypeError if a parameter of the path or the body is missing.
 */
export type Method<Shape extends RequestShape, Answer> = (
  ...parameters: [...PathParameters<Shape['url']>, ...Payload<Shape>, options?: CallOptions]
) => Promise<Answer>;

/** A request in the generated types. */
interface RequestShape {
  readonly url: string;
  readonly body?: unknown;
  readonly path?: unknown;
  readonly query?: unknown;
}

/** Where the API takes any object, an `interface` is one too. */
export type Accepting<T> = T extends readonly (infer Item)[]
  ? Accepting<Item>[]
  : T extends object
    ? string extends keyof T
      ? unknown extends T[keyof T]
        ? object
        : T
      : { [Name in keyof T]: Accepting<T[Name]> }
    : T;

type PathParameters<Url> = Url extends `${string}{${infer Name}}${infer Rest}`
  ? [...(Name extends 'shortCode' ? [shortCode: string] : [id: string]), ...PathParameters<Rest>]
  : [];
type Payload<Shape> = Shape extends { body: infer Body }
  ? [body: Accepting<Body>]
  : Shape extends { query?: never }
    ? []
    : Shape extends { query?: infer Query }
      ? [query?: Query]
      : [];

/** The names of the parameters of a method, except its options. */
type Names<Shape extends RequestShape> = [...PathNames<Shape['url']>, ...PayloadName<Shape>];
type PathNames<Url> = Url extends `${string}{${infer Name}}${infer Rest}` ? [Name, ...PathNames<Rest>] : [];
type PayloadName<Shape> = Shape extends { body: unknown }
  ? ['body']
  : Shape extends { query?: never }
    ? []
    : ['query'];

type Operation = (options: never) => Promise<{ data: unknown; response?: Response }>;
type ShapeOf<O> = O extends (options: Options<infer Shape, boolean>) => unknown
  ? Shape
  : O extends (options?: Options<infer Shape, boolean>) => unknown
    ? Shape
    : never;
type QueryOf<Shape> = Shape extends { query: infer Query } ? Query : never;
type BodyOf<Shape> = Shape extends { body: infer Body } ? Body : never;
type AnswerOf<O extends Operation> = Exclude<Awaited<ReturnType<O>>['data'], undefined>;

interface Call extends CallOptions {
  readonly request: object;
  /** A POST that has the effect of one however often it arrives. Without it the HTTP method decides. */
  readonly isSafe?: boolean;
}

export type Methods = ReturnType<typeof createMethods>;

/** The kinds of methods, for one service and key. */
export function createMethods({ baseUrl, key, ...sending }: Sending & { baseUrl: string; key: string }) {
  const client = withPlainOptions(createClient({ baseUrl, auth: key, throwOnError: true }));

  /** `Method` ensures that the request is that of the operation. */
  async function run<O extends Operation>(operation: O, { request, isSafe = false, signal }: Call) {
    const fetch = (sent: Request) => send(sent, { ...sending, isSafe, signal });
    const { data, response } = await operation({ ...request, client, fetch } as never);
    return (response?.status === 204 ? undefined : data) as AnswerOf<O>;
  }

  return {
    /** `names` are those of the parameters. */
    call<O extends Operation>(operation: O, ...names: Names<ShapeOf<O>>): Method<ShapeOf<O>, AnswerOf<O>> {
      return async (...parameters) => {
        const values: readonly unknown[] = parameters;
        const named = Object.fromEntries(names.map((name, index) => [name, values[index]]));
        const { body, query, ...path } = named;
        for (const [name, id] of Object.entries(path)) checkId(name, id);
        if (names.includes('body' as never)) checkBody(body);
        if (names.includes('query' as never)) checkQuery(query);
        const options = values[names.length] as CallOptions | undefined;
        checkOptions(options);
        return await run(operation, { ...options, request: { body, query, path } });
      };
    },

    /** For a POST that knows `Idempotency-Key`. */
    create<O extends Operation>(
      operation: O,
    ): (body: Accepting<BodyOf<ShapeOf<O>>>, options?: CreateOptions) => Promise<AnswerOf<O>> {
      return async (body, options = {}) => {
        checkBody(body);
        checkOptions(options, ['signal', 'idempotencyKey']);
        const { idempotencyKey = randomUUID(), signal } = options;
        const headers = { 'Idempotency-Key': idempotencyKey };
        return await run(operation, { request: { body, headers }, isSafe: true, signal });
      };
    },

    /** For a POST whose body names the key, and which records nothing. The answer has its reasons. */
    withKey<O extends Operation>(
      operation: O,
    ): (body: Accepting<Omit<BodyOf<ShapeOf<O>>, 'apiKey'>>, options?: CallOptions) => Promise<AnswerOf<O>> {
      return async (body, options) => {
        checkBody(body);
        checkOptions(options);
        const request = { body: { ...body, apiKey: key }, query: { explain: 'true' } };
        return await run(operation, { ...options, request, isSafe: true });
      };
    },

    /** For a POST whose body is a file. */
    upload<O extends Operation>(
      operation: O,
    ): (file: string, query: QueryOf<ShapeOf<O>>, options?: UploadOptions) => Promise<AnswerOf<O>> {
      return async (file, query, options = {}) => {
        if (typeof file !== 'string')
          throw new TypeError(
            `The file must be its text, but is ${describe(file)}. Check where it comes from.`,
          );
        checkQuery(query);
        checkOptions(options, ['signal', 'contentType']);
        const { contentType = 'text/csv', signal } = options;
        const headers = { 'Content-Type': contentType };
        return await run(operation, { request: { body: file, query, headers }, signal });
      };
    },

    /** For a POST that can be repeated once `complete` has given its records their IDs. */
    record<O extends Operation>(
      operation: O,
      complete = (body: BodyOf<ShapeOf<O>>) => body,
    ): (body: Accepting<BodyOf<ShapeOf<O>>>, options?: CallOptions) => Promise<AnswerOf<O>> {
      return async (body, options) => {
        checkBody(body);
        checkOptions(options);
        return await run(operation, {
          ...options,
          request: { body: complete(body as BodyOf<ShapeOf<O>>) },
          isSafe: true,
        });
      };
    },
  };
}

const VERBS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** The generated client passes its options to `new Request`, where Deno expects a client of its own. */
function withPlainOptions(client: Client): Client {
  const verbs = VERBS.map((verb) => {
    const send = client[verb] as (options: object) => unknown;
    return [verb, ({ client: _, ...options }: { client?: Client }) => send(options)];
  });
  return { ...client, ...Object.fromEntries(verbs) };
}

/** An empty text or a dot would lead to another endpoint: that of the list, or one further up. */
function checkId(name: string, id: unknown): void {
  if (typeof id !== 'string' || id === '' || id === '.' || id === '..')
    throw new TypeError(
      `${name} must be the text of an id, but is ${describe(id)}. Check where it comes from.`,
    );
}

function checkBody(body: unknown): void {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new TypeError(`The body must be an object, but is ${describe(body)}. Check where it comes from.`);
}

/** Null would be left out, and the list would not be filtered. */
function checkQuery(query: unknown): void {
  if (query === undefined) return;
  if (typeof query !== 'object' || query === null || Array.isArray(query))
    throw new TypeError(`The query must be an object or undefined, but is ${describe(query)}.`);
  for (const [name, value] of Object.entries(query)) {
    if (name === 'signal')
      throw new TypeError(
        'The query has a signal. Options come last: pass undefined for the query before them.',
      );
    if (value === null)
      throw new TypeError(`${name} in the query is null. Leave it out for no filter; null filters nothing.`);
  }
}

function checkOptions(options: unknown, names: readonly string[] = ['signal']): void {
  if (options === undefined) return;
  if (typeof options !== 'object' || options === null)
    throw new TypeError(`The options must be an object, but are ${describe(options)}.`);
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new TypeError(`There is no option ${unknown}, only ${names.join(' and ')}. Options come last.`);
}

function describe(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  return Array.isArray(value) ? 'a list' : `${value}`;
}
