import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { TOOLS } from './server.ts';

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
});
