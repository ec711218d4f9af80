/** Migrations that databases have run already, and those that run beside processes of the version before. */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import {
  CHANGED,
  changedMigrations,
  freeze,
  hashMigrations,
  readFrozen,
} from '../tools/frozen-migrations.ts';

/** Before the first release nobody ran two versions beside each other. */
const FIRST_BESIDE_OTHERS = '0037';
/** What a process of the version before may read or write by its former name and kind. */
const CONTRACTS =
  /\b(?:drop\s+table|drop\s+column|rename\s+(?:to|column)|alter\s+column|set\s+not\s+null|alter\s+table\s+\S+\s+drop)\b/i;
/** `Contract of 0.2.0: nothing has read links.title since.` */
const SAYS_WHY = /\bContract of \d+\.\d+\.\d+:/;

describe('migrations', () => {
  it('that are released do not change', () => {
    const changed = changedMigrations(readFrozen(), hashMigrations());
    assert.deepEqual(changed, [], `${changed.join(', ')} ${CHANGED}`);
  });

  it('only add, so that processes of the version before go on, or say of which release they are the contract', () => {
    const offenders = [...hashMigrations().keys()]
      .filter((name) => name >= FIRST_BESIDE_OTHERS)
      .filter((name) => contracts(readFileSync(`migrations/${name}.ts`, 'utf8')));
    assert.deepEqual(offenders, [], 'CONTRIBUTING.md says how to expand first and to contract later');
    assert.ok(contracts('sql`alter table links drop column title`'));
    assert.ok(contracts("'alter table webhook_deliveries rename to webhook_queue'"));
    assert.ok(contracts("'drop table daily_counts'"));
    assert.ok(!contracts("/** Contract of 0.2.0: nothing reads it. */ 'drop table daily_counts'"));
    assert.ok(!contracts("'alter table links add column title text', 'drop index links_by_title'"));
  });

  it('after the first release import types only, since what they import may change', () => {
    const offenders = [...hashMigrations().keys()]
      .filter((name) => name >= FIRST_BESIDE_OTHERS)
      .filter((name) =>
        /^import (?!type\b)[^;]*'\.\.\/src/m.test(readFileSync(`migrations/${name}.ts`, 'utf8')),
      );
    assert.deepEqual(offenders, []);
  });

  it('are frozen by a release, which refuses those that an earlier one has frozen', (t) => {
    const root = mkdtempSync(join(tmpdir(), 'throughline-freeze-'));
    t.after(() => rmSync(root, { recursive: true }));
    mkdirSync(join(root, 'migrations'));
    cpSync('migrations/0001_initial.ts', join(root, 'migrations/0001_initial.ts'));
    writeFileSync(join(root, 'migrations/released.json'), '{}');
    freeze('1.0.0', root);
    writeFileSync(join(root, 'migrations/0001_initial.ts'), 'changed while unreleased');
    freeze('1.0.0', root);
    writeFileSync(join(root, 'migrations/0002_next.ts'), 'next');
    freeze('1.1.0', root);
    assert.deepEqual(
      Object.values(readFrozen(root)).map(({ release }) => release),
      ['1.0.0', '1.1.0'],
    );
    writeFileSync(join(root, 'migrations/0001_initial.ts'), 'changed afterwards');
    assert.deepEqual(changedMigrations(readFrozen(root), hashMigrations(root)), ['0001_initial']);
    assert.throws(() => freeze('1.1.0', root), /0001_initial has changed since its release/);
  });
});

function contracts(text: string): boolean {
  return CONTRACTS.test(text) && !SAYS_WHY.test(text);
}
