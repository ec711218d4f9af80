import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { ERRORS } from '../../../src/errors.ts';

describe('the catalogue of errors', () => {
  const rows = [
    ...readFileSync('docs/reference/errors.md', 'utf8').matchAll(/^\| `([^`]+)` +\| (\d{3}) +\|/gm),
  ];
  const documented = rows.map(([, code = '', status]) => [code, Number(status)] as const);
  const thrown = Object.entries(ERRORS).map(([code, [status]]) => [code, status] as const);

  it('docs/reference/errors.md lists exactly the codes, with their status', () => {
    assert.ok(documented.length > 20, `${documented.length} rows`);
    assert.deepEqual(sorted(documented), sorted(thrown));
  });

  it('every message ends with the next step, as in docs/reference/errors.md', () => {
    const rows = readFileSync('docs/reference/errors.md', 'utf8').matchAll(
      /^\| `([^`]+)` +\|.*\| ([^|]+?) +\|$/gm,
    );
    const advice = new Map([...rows].map(([, code = '', text = '']) => [code, text.replaceAll('`', '')]));
    for (const [code, [, message]] of Object.entries(ERRORS)) {
      const next = message.split(/(?<=\.) /).at(-1) ?? '';
      assert.match(
        next,
        /^(Ask|Change|Check|Choose|Copy|List|Make|Open|Record|Remove|Send|Set|Sign|Try|Use|Wait) .*\.$/,
        code,
      );
      assert.ok(advice.get(code)?.startsWith(next.slice(0, -1)), `${code}: ${advice.get(code)}`);
    }
  });
});

function sorted<T extends readonly [string, number]>(pairs: readonly T[]): T[] {
  return [...pairs].sort(([a], [b]) => (a < b ? -1 : 1));
}
