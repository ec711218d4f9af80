/**
 * Breaks ten guarantees, one line each, in a copy of the last commit, and fails unless the named test fails each time.
 * A line that is no longer in its file needs its successor here.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

interface Mutation {
  /** The guarantee, broken. */
  readonly name: string;
  readonly file: string;
  readonly line: string;
  readonly broken: string;
  readonly test: string;
}

const MUTATIONS: readonly Mutation[] = [
  {
    name: 'a link of another app is read by its code',
    file: 'src/links/queries.ts',
    line: "    .where('app_id', '=', appId)\n    .where('short_code', '=', code)\n    .where('deleted_at', 'is', null)\n    .executeTakeFirst();",
    broken:
      "    .where('short_code', '=', code)\n    .where('deleted_at', 'is', null)\n    .executeTakeFirst();",
    test: 'test/api/links/endpoints.test.ts',
  },
  {
    name: 'a claimed click is claimed again',
    file: 'src/click-log/queries.ts',
    line: "    .where(column, 'is', null)\n",
    broken: '',
    test: 'test/api/attribution/races.test.ts',
  },
  {
    name: 'the journal is not synced to the disk',
    file: 'src/click-log/journal/files.ts',
    line: 'O_WRONLY | O_CREAT | O_DSYNC',
    broken: 'O_WRONLY | O_CREAT',
    test: 'src/click-log/journal/journal.test.ts',
  },
  {
    name: 'a webhook is signed without its first byte',
    file: 'src/webhooks/delivery/signature.ts',
    line: "key.service).update(body).digest('hex')",
    broken: "key.service).update(body.subarray(1)).digest('hex')",
    test: 'test/api/webhooks/vectors.test.ts',
  },
  {
    name: 'each key of an app has a rate limit of its own',
    file: 'src/auth/authenticate.ts',
    line: 'export function budgetOf({ appId, mode, user }: Actor): string {\n  return `${appId} ',
    broken: 'export function budgetOf({ keyId, mode, user }: Actor): string {\n  return `${keyId} ',
    test: 'test/api/server/limits-by-app.test.ts',
  },
  {
    name: 'an erasure forgets the events',
    file: 'src/privacy/manifest.ts',
    line: '  opensOfPerson,\n  eventsOfPerson,\n];',
    broken: '  opensOfPerson,\n];',
    test: 'test/engine/privacy/erasure-nothing-left.test.ts',
  },
  {
    name: 'two signals that contradict are no veto',
    file: 'src/attribution/matching/compare.ts',
    line: "contradictions > allowed ? 'contradicts' : null",
    broken: 'null',
    test: 'src/attribution/matching/matching.test.ts',
  },
  {
    name: 'a repeated Idempotency-Key makes a second record',
    file: 'src/server/idempotency.ts',
    line: 'if (key === null) return',
    broken: 'if (key !== undefined) return',
    test: 'test/api/server/idempotency.test.ts',
  },
  {
    name: 'a name that resolves to a private address is called',
    file: 'src/lib/outgoing/lookup.ts',
    line: '!addresses.every((address) => isPublic(address, allowed))',
    broken: 'false',
    test: 'src/lib/outgoing/lookup.test.ts',
  },
  {
    name: 'a viewer changes what an owner may',
    file: 'src/auth/session.ts',
    line: 'if (!mayAct(role, needed))',
    broken: 'if (false)',
    test: 'test/api/auth/roles.test.ts',
  },
  {
    name: 'a record is counted twice',
    file: 'src/stats/cells.ts',
    line: '    addNumbers(quarterAt(this.at(key).quarters, quarter), numbers);\n',
    broken:
      '    addNumbers(quarterAt(this.at(key).quarters, quarter), numbers);\n    addNumbers(quarterAt(this.at(key).quarters, quarter), numbers);\n',
    test: 'test/engine/stats/counts.test.ts',
  },
];

const copy = mkdtempSync(join(tmpdir(), 'throughline-mutations-'));
process.on('exit', () => {
  execFileSync('git', ['worktree', 'remove', '--force', copy]);
  rmSync(copy, { recursive: true, force: true });
});
execFileSync('git', ['worktree', 'add', '--detach', copy, 'HEAD'], { stdio: 'ignore' });
symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));

const whole = failuresOf([...new Set(MUTATIONS.map(({ test }) => test))]);
if (whole.length > 0) throw new Error(`Without any mutation fail: ${whole.join(', ')}`);
for (const mutation of MUTATIONS) {
  const caught = failuresUnder(mutation);
  process.stdout.write(`${caught.length === 0 ? 'SURVIVED' : 'caught'}: ${mutation.name}\n`);
  for (const title of caught) process.stdout.write(`    by “${title}”\n`);
  if (caught.length === 0) process.exitCode = 1;
}

function failuresUnder({ file, line, broken, test }: Mutation): string[] {
  const path = join(copy, file);
  const text = readFileSync(path, 'utf8');
  if (text.split(line).length !== 2) throw new Error(`${file} has not once: ${line}`);
  writeFileSync(
    path,
    text.replace(line, () => broken),
  );
  try {
    return failuresOf([test]);
  } finally {
    writeFileSync(path, text);
  }
}

/** Titles of the tests that fail, on SQLite. */
function failuresOf(tests: readonly string[]): string[] {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      '--test',
      '--test-global-setup=test/helpers/global-setup.ts',
      '--test-reporter=./test/helpers/reporter.ts',
      ...tests,
    ],
    { cwd: copy, encoding: 'utf8', env: { ...process.env, ENGINE: 'sqlite' } },
  );
  if (status === 0) return [];
  const titles = [...stdout.matchAll(/^✖ (.*)\n {2}\S+\.ts$/gm)].map(([, title = '']) => title);
  return titles.length > 0 ? titles : [`no test: ${stderr.slice(-500)}`];
}
