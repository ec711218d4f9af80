import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { createThroughlineClient } from '@throughline/server';
import { createServer, TOOLS } from './server.ts';

describe('the tools', () => {
  const names = TOOLS.map(({ name }) => name);

  it('are all in the table of the README', () => {
    const readme = readFileSync('packages/mcp/README.md', 'utf8');
    const [, table = ''] = /## Tools\n\n(.*?)\n\n/s.exec(readme) ?? [];
    const listed = [...table.matchAll(/`(\w+)`/g)].map(([, name]) => name);
    assert.deepEqual(listed.sort(), [...names].sort());
  });

  it('that need a confirmation are those of the guide', () => {
    const guide = readFileSync('docs/guide/mcp.md', 'utf8');
    const listed = [...guide.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
    const destroying = TOOLS.filter(({ effect }) => effect === 'destroys').map(({ name }) => name);
    assert.deepEqual(listed.sort(), destroying.sort());
  });

  it('say what each may do, and a reader has those alone that change nothing', async () => {
    const tools = await listTools(false);
    for (const { name, title, description, inputSchema, annotations } of tools) {
      assert.ok(title && description && annotations?.title, name);
      assert.equal(inputSchema.additionalProperties, false, name);
      assert.equal(annotations.readOnlyHint, !/^(create|update|delete|erase|check_import)/.test(name), name);
      if (/^(update|delete|erase)/.test(name)) assert.equal(annotations.destructiveHint, true, name);
    }
    const reading = tools.filter(({ annotations }) => annotations?.readOnlyHint);
    assert.deepEqual(
      (await listTools(true)).map(({ name }) => name),
      reading.map(({ name }) => name),
    );
  });
});

async function listTools(isReadOnly: boolean) {
  const baseUrl = 'https://links.test';
  const service = createThroughlineClient({ baseUrl, key: 'svc_test_a' });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const server = createServer({ client: service, baseUrl, isReadOnly });
  const client = new Client({ name: 'test', version: '1' });
  await Promise.all([server.connect(ours), client.connect(theirs)]);
  const { tools } = await client.listTools();
  await client.close();
  return tools;
}
