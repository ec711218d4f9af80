import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import type { FastifySchema } from 'fastify';
import type { TSchema } from 'typebox';
import { nameSchemas, SCHEMAS } from './named-schemas.ts';

declare module 'fastify' {
  /** Parts of the document that neither validate nor serialize. */
  interface FastifySchema {
    /** A valid body. */
    bodyExample?: object;
    /** Headers that the handler reads and checks. */
    documentedHeaders?: TSchema;
    /** In place of `body`, where the handler checks what the schema of the route leaves open. */
    documentedBody?: TSchema;
    /** A media type that the route takes too, as text. */
    textBody?: string;
    /** The types of a body that is a file, in place of its schema. */
    fileBody?: readonly string[];
  }
}

/** The parts of the OpenAPI document that no route declares. */
export interface ApiDescription {
  readonly info: { readonly title: string; readonly description: string; readonly version: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
}

interface Response {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, { readonly schema: { readonly $ref?: string } }>>;
}

interface Operation {
  readonly operationId?: string;
  readonly responses: Readonly<Record<string, Response>>;
}

/** By path and method. */
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** Routes without a tag are not in the document. */
export function openApiOptions({ info, tags }: ApiDescription): FastifyDynamicSwaggerOptions {
  return {
    hideUntagged: true,
    transform: ({ schema, url }) => ({ schema: withDocumentedParts(withOptionalDefaults(schema)), url }),
    transformObject: (document) =>
      'openapiObject' in document ? finish(document.openapiObject) : document.swaggerObject,
    openapi: {
      openapi: '3.1.0',
      info,
      components: {
        securitySchemes: {
          apiKey: {
            type: 'apiKey',
            in: 'header',
            name: 'X-Api-Key',
            description: 'The name is the kind of key: secret (live or test), live, test, or any',
          },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: 'throughline_session',
            description:
              'Of a signed-in user; the header X-App-Id names the app, except under /v1/admin. The name is the least role',
          },
          adminToken: { type: 'http', scheme: 'bearer' },
          authorization: {
            type: 'apiKey',
            in: 'header',
            name: 'Authorization',
            description: 'A value that the app’s settings and the sender have in common',
          },
        },
      },
      tags: [...tags],
    },
  };
}

interface Parameters {
  readonly properties: Record<string, { readonly default?: unknown }>;
  readonly required?: readonly string[];
}

/** A parameter with a default is required in the handler's type, but callers may omit it. */
function withOptionalDefaults(schema: FastifySchema): FastifySchema {
  const query = schema?.querystring as Parameters | undefined;
  if (query?.required === undefined) return schema;
  const required = query.required.filter((name) => query.properties[name]?.default === undefined);
  return { ...schema, querystring: { ...query, required } };
}

function withDocumentedParts(schema: FastifySchema): FastifySchema {
  if (schema === undefined) return schema;
  const { bodyExample, documentedBody, documentedHeaders: headers, textBody, fileBody, ...rest } = schema;
  const documented = headers === undefined ? rest : { ...rest, headers };
  if (rest.body === undefined) return documented;
  const plain = (documentedBody ?? rest.body) as object;
  const body = bodyExample === undefined ? plain : { ...plain, examples: [bodyExample] };
  if (fileBody !== undefined) {
    const types = fileBody.map((type) => [type, { schema: { type: 'string' } }]);
    return { ...documented, body: { content: Object.fromEntries(types) } };
  }
  if (textBody === undefined) return { ...documented, body };
  const content = { 'application/json': { schema: body }, [textBody]: { schema: { type: 'string' } } };
  return { ...documented, body: { content } };
}

const ERROR_RESPONSE = '#/components/responses/Error';

/** Names the schemas, shares the response of errors, and tells operations of two methods apart. */
function finish<D extends { readonly paths?: unknown; readonly components?: object }>(document: D): D {
  const schemas: Record<string, unknown> = {};
  const paths = nameSchemas(document.paths as Paths, schemas);
  const sorted = Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)));
  return {
    ...document,
    paths: mapValues(paths, (methods) => mapValues(methods, finishOperation)),
    components: { ...document.components, responses: { Error: errorResponse }, schemas: sorted },
  };
}

function finishOperation(operation: Operation, method: string): Operation {
  const { operationId, responses } = operation;
  return {
    ...operation,
    ...(method === 'head' && { operationId: `${operationId}Head` }),
    responses: mapValues(responses, (response) => (isError(response) ? { $ref: ERROR_RESPONSE } : response)),
  };
}

function isError({ content }: Response): boolean {
  return content?.['application/json']?.schema.$ref === `${SCHEMAS}Error`;
}

const errorResponse = {
  description: 'An error',
  headers: {
    'X-Service-Error': {
      description: 'Its code, such as request.invalid, which never changes its meaning',
      schema: { type: 'string' },
    },
  },
  content: { 'application/json': { schema: { $ref: `${SCHEMAS}Error` } } },
};

function mapValues<V, W>(
  object: Readonly<Record<string, V>>,
  map: (value: V, key: string) => W,
): Record<string, W> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value, key)]));
}
