import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { matchSnapshot } from '../helpers/snapshot.ts';
import { useWorld } from '../helpers/world.ts';

interface Document {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, Operation>>;
  readonly tags: readonly { name: string; description: string }[];
}

interface Operation {
  readonly responses: Record<string, unknown>;
  readonly summary?: string;
  readonly tags?: readonly string[];
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
});
