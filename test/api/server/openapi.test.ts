import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { callAs, newUser } from '../../helpers/accounts.ts';
import { AUTHORIZATION, type Method } from '../../helpers/operations.ts';
import { matchSnapshot } from '../../helpers/snapshot.ts';
import { useWorld } from '../../helpers/world.ts';

interface Document {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Record<string, object> };
  readonly tags: readonly { name: string; description: string }[];
}

interface Content {
  readonly content?: Record<string, { readonly schema: object; readonly example?: object }>;
}

interface Operation {
  readonly operationId?: string;
  readonly requestBody?: Content;
  readonly responses: Record<string, unknown>;
  readonly summary?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly object[];
  readonly parameters?: readonly { name: string; required?: boolean; schema: { default?: unknown } }[];
}

describe('OpenAPI', () => {
  const world = useWorld('sqlite');

  it('the served document equals the committed docs/api/openapi.json', async () => {
    const { status, body } = await world.call('GET', '/openapi.json');
    assert.equal(status, 200);
    matchSnapshot('docs/api/openapi.json', `${JSON.stringify(body, null, 2)}\n`);
  });

  it('a request with the current ETag gets 304, others get the document', async () => {
    const first = await world.call('GET', '/openapi.json');
    const etag = String(first.headers.etag);
    for (const tags of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await world.call('GET', '/openapi.json', { headers: { 'if-none-match': tags } });
      assert.deepEqual([again.status, again.text, again.headers.etag], [304, '', etag], tags);
    }
    const changed = await world.call('GET', '/openapi.json', { headers: { 'if-none-match': '"other"' } });
    assert.deepEqual([changed.status, changed.text], [200, first.text]);
    const head = await world.call('HEAD', '/openapi.json');
    assert.deepEqual(
      [head.headers.etag, head.headers['content-length']],
      [etag, first.headers['content-length']],
    );
  });

  it('the description of a pattern completes “must be”, as error texts have it', async () => {
    const patterns: string[] = [];
    JSON.parse((await world.call('GET', '/openapi.json')).text, (_key, value) => {
      if (typeof value?.pattern === 'string' && value.description) patterns.push(value.description);
      return value;
    });
    assert.ok(patterns.length > 10);
    assert.deepEqual(
      patterns.filter((description) => !/^(?:an? |the |three |up to |\d)/.test(description)),
      [],
    );
  });

  it('a field with a default is optional', async () => {
    const { paths } = (await world.call('GET', '/openapi.json')).body as Document;
    const parameters = Object.values(paths)
      .flatMap((path) => Object.values(path))
      .flatMap((operation) => operation.parameters ?? []);
    const withDefault = parameters.filter(({ schema }) => schema.default !== undefined);
    assert.ok(withDefault.length > 10);
    for (const { name, required } of withDefault) assert.equal(required, false, name);
  });

  it('the document is OpenAPI 3.1; every operation has a summary, a success and a described tag', async () => {
    const document = (await world.call('GET', '/openapi.json')).body as Document;
    assert.equal(document.openapi, '3.1.0');
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
    assert.ok(operations.length > 20);
    const described = new Set(document.tags.map(({ name }) => name));
    for (const { summary, tags, responses } of operations) {
      assert.ok(summary);
      assert.ok(
        tags?.every((tag) => described.has(tag)),
        `${summary}: ${tags}`,
      );
      assert.ok(Object.keys(responses).some((status) => /^[23]/.test(status)));
    }
  });

  const operations = async () => {
    const { paths } = (await world.call('GET', '/openapi.json')).body as Document;
    return Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase() as Method,
        path,
        ...operation,
      })),
    );
  };

  it('every operation has an operationId of its own', async () => {
    const all = await operations();
    const without = all.filter(({ operationId = '' }) => !/^[a-z][a-zA-Z]+$/.test(operationId));
    assert.deepEqual(
      without.map(({ name }) => name),
      [],
      'Give the schema of these routes an operationId: verb and noun in camel case, such as createLink',
    );
    const ids = all.map(({ operationId }) => operationId);
    assert.deepEqual(
      all.filter(({ operationId }, index) => ids.indexOf(operationId) !== index).map(({ name }) => name),
      [],
      'These routes have the operationId of another route',
    );
  });

  it('every object with fields in a body or an answer has a name', async () => {
    const { components } = (await world.call('GET', '/openapi.json')).body as Document;
    const places = (await operations()).flatMap(({ name, requestBody, responses }) => [
      ...unnamedIn(requestBody, `${name}, body`),
      ...unnamedIn(responses, `${name}, answer`),
    ]);
    for (const [name, schema] of Object.entries(components.schemas))
      places.push(...Object.entries(schema).flatMap(([key, part]) => unnamedIn(part, `${name}.${key}`)));
    assert.deepEqual(
      places,
      [],
      "Declare these objects by Named('Name', { … }) of src/server/schemas.ts, in place of Type.Object({ … })",
    );
  });

  it('every body has an example that the service accepts', async () => {
    const app = await world.newApp({ revenuecatAuthorization: AUTHORIZATION });
    const user = await newUser(world, { appId: app.id });
    for (const { name, method, path, security, requestBody } of await operations()) {
      const body = requestBody?.content?.['application/json'];
      if (body === undefined) continue;
      assert.ok(body.example, `Give the schema of ${name} a bodyExample`);
      const isOpenTo = (scheme: string) => security?.some((one) => scheme in one) ?? false;
      const isForUsers = isOpenTo('session') && !isOpenTo('apiKey');
      const answer = await callAs(world, user, method, path.replaceAll(/\{\w+\}/g, app.id), {
        appId: app.id,
        ...(isOpenTo('adminToken') && {
          headers: { authorization: `Bearer ${world.service.dataDir.adminToken}` },
        }),
        ...(isOpenTo('authorization') && { headers: { authorization: AUTHORIZATION } }),
        ...(!isForUsers && { key: app.keys.live }),
        body: 'apiKey' in body.example ? { ...body.example, apiKey: app.keys.live } : body.example,
      });
      // The records of the examples do not exist, so the handler may refuse; the validation must not.
      const isAccepted =
        answer.headers['x-service-error'] === 'session.wrong_credentials' ||
        (answer.status < 500 && ![400, 401, 413, 415, 429].includes(answer.status));
      assert.ok(isAccepted, `The bodyExample of ${name} gets ${answer.status} ${answer.text}`);
    }
  });
});

/** Where objects with fields are that no component names. */
function unnamedIn(value: unknown, place: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { type, properties } = value as { type?: unknown; properties?: unknown };
  // In a list of fields, `type` and `properties` are fields.
  if (properties !== undefined && (typeof type === 'string' || Array.isArray(type))) return [place];
  return Object.entries(value).flatMap(([key, part]) =>
    key === 'example' ? [] : unnamedIn(part, `${place}.${key}`),
  );
}
