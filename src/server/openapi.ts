import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import type { FastifySchema } from 'fastify';

/** The parts of the OpenAPI document that no route declares. */
export interface ApiDescription {
  readonly info: { readonly title: string; readonly description: string; readonly version: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
}

/** Routes without a tag are not in the document. */
export function openApiOptions({ info, tags }: ApiDescription): FastifyDynamicSwaggerOptions {
  return {
    hideUntagged: true,
    transform: ({ schema, url }) => ({ schema: withOptionalDefaults(schema), url }),
    openapi: {
      openapi: '3.1.0',
      info,
      components: {
        securitySchemes: {
          apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
          adminToken: { type: 'http', scheme: 'bearer' },
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
