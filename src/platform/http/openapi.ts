import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import type { FastifySchema } from 'fastify';

/** What the document says beside the routes; the routes' own schemas are the rest. Routes without a tag are left out. */
export const openApiDocument: FastifyDynamicSwaggerOptions = {
  hideUntagged: true,
  transform: ({ schema, url }) => ({ schema: withOptionalDefaults(schema), url }),
  openapi: {
    openapi: '3.1.0',
    info: {
      title: 'Throughline',
      description:
        'Mobile attribution and deep links. Every error has the one field `error`; its code is in X-Service-Error.',
      // Of the API, as in its paths; a release tells its own with `throughline --version`.
      version: '1',
    },
    components: {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
        adminToken: { type: 'http', scheme: 'bearer' },
      },
    },
    tags: [
      { name: 'Links', description: 'Short links with a deep link payload' },
      { name: 'Redirect', description: 'What a tap on a short link reaches' },
      { name: 'Association', description: 'What phones read to open short links in the app' },
      { name: 'SDK', description: 'Installs, opens and events, from the app' },
      { name: 'Installs', description: 'What was recorded of an install, and why it was attributed so' },
      { name: 'Debug', description: 'Attribution without recording anything' },
      { name: 'Webhooks', description: 'Who is told what happens, and how that went' },
      { name: 'Postbacks', description: 'Of iOS ad networks, with Apple’s signature' },
      { name: 'Privacy', description: 'A person’s records, handed out or erased' },
      {
        name: 'Audit log',
        description: 'What has to be kept track of: privacy requests, and deliveries that were given up',
      },
      { name: 'Admin', description: 'Apps and their keys' },
      { name: 'Server', description: 'Is it alive, is it ready, how is it doing' },
    ],
  },
};

interface Parameters {
  readonly properties: Record<string, { readonly default?: unknown }>;
  readonly required?: readonly string[];
}

/** Our types say that a parameter with a default is always there; callers need not send it. */
function withOptionalDefaults(schema: FastifySchema): FastifySchema {
  const query = schema?.querystring as Parameters | undefined;
  if (query?.required === undefined) return schema;
  const required = query.required.filter((name) => query.properties[name]?.default === undefined);
  return { ...schema, querystring: { ...query, required } };
}
