/** What the package publishes, as a program of another runtime than Node loads it: both forms, and a call. */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import * as esm from '../dist/esm/index.js';

const cjs = createRequire(import.meta.url)('../dist/cjs/index.js');
for (const { createThroughlineClient, ThroughlineError, verifyWebhook } of [esm, cjs]) {
  assert.equal(typeof verifyWebhook, 'function');
  const client = createThroughlineClient({
    baseUrl: 'https://links.example.com',
    key: 'svc_live_1',
    fetch: async (url, { method }) => Response.json([{ id: `${method} ${url}` }]),
  });
  assert.deepEqual(await client.links.list({ limit: 1 }), [
    { id: 'GET https://links.example.com/v1/links?limit=1' },
  ]);
  await assert.rejects(client.links.get(undefined), TypeError);
  assert.ok(ThroughlineError.prototype instanceof Error);
}
