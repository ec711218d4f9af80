/**
 * The guard of `npm version X`: `preversion` runs `check`, `version` runs `prepare`. The commit and the tag are npm's own
 * (docs/guide/releasing.md).
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CHANGED, changedMigrations, freeze, hashMigrations, readFrozen } from './frozen-migrations.ts';
import { changelogs, newestEntry, setVersion } from './set-version.ts';

/** Written by `.ci/run` when everything has passed: the tree that was tested. */
const TESTED = 'node_modules/.cache/throughline-tested';

/** What keeps the version from being released, each with what to do. */
export function problemsOf(version: string): string[] {
  const problems: string[] = [];
  if (git('status', '--porcelain') !== '') problems.push('There are uncommitted changes. Commit them.');
  const tested = existsSync(TESTED) ? readFileSync(TESTED, 'utf8').trim() : null;
  if (tested !== git('rev-parse', 'HEAD^{tree}'))
    problems.push('The last commit was not tested. Run .ci/run, which notes what it has tested.');
  for (const file of changelogs()) {
    const text = readFileSync(file, 'utf8');
    if (newestEntry(text)?.version !== version)
      problems.push(
        `${file} has no section for ${version}. Run npm run set-version ${version}, and write it.`,
      );
    else if (sectionOf(text) === '')
      problems.push(`The section for ${version} in ${file} is empty. Write it.`);
  }
  const changed = changedMigrations(readFrozen(), hashMigrations(), version);
  if (changed.length > 0) problems.push(`${changed.join(', ')} ${CHANGED}`);
  const fixture = join('test/fixtures/releases', version, 'answers.json.gz');
  if (!existsSync(fixture))
    problems.push(`There is no data of ${version}. Run npm run release-fixture, and commit it.`);
  return problems;
}

function sectionOf(changelog: string): string {
  return changelog.split(/^## .*$/m)[1]?.trim() ?? '';
}

function git(...args: string[]): string {
  return execFileSync('git', args, { encoding: 'utf8' }).trim();
}

function main(step: string | undefined, version: string | undefined): void {
  if (version === undefined) throw new Error('This runs as a part of npm version (docs/guide/releasing.md).');
  switch (step) {
    case 'check': {
      const problems = problemsOf(version);
      if (problems.length > 0) throw new Error(`${version} cannot be released:\n- ${problems.join('\n- ')}`);
      return;
    }
    case 'prepare':
      setVersion(version, new Date().toISOString().slice(0, 'YYYY-MM-DD'.length));
      freeze(version);
      git('add', '--all');
      return;
    case 'tested':
      mkdirSync(dirname(TESTED), { recursive: true });
      writeFileSync(TESTED, `${git('rev-parse', 'HEAD^{tree}')}\n`);
  }
}

if (import.meta.main)
  try {
    main(process.argv[2], process.argv[2] === 'tested' ? '' : process.env.npm_new_version);
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
