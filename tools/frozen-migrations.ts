/**
 * `npm run freeze`: notes the hash of each migration under the version that is released with it, in
 * `migrations/released.json`. What an earlier version released is never changed.
 */
import { createHash } from 'node:crypto';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const FILE = 'migrations/released.json';

interface Frozen {
  readonly release: string;
  /** SHA-256 of the file. */
  readonly sha256: string;
}

export type FrozenMigrations = Readonly<Record<string, Frozen>>;

export function readFrozen(root = '.'): FrozenMigrations {
  return JSON.parse(readFileSync(join(root, FILE), 'utf8')) as FrozenMigrations;
}

/** The hash of each migration's file, by its name. */
export function hashMigrations(root = '.'): ReadonlyMap<string, string> {
  const files = globSync('migrations/[0-9]*.ts', { cwd: root }).sort();
  return new Map(
    files.map((file) => [
      basename(file, '.ts'),
      createHash('sha256')
        .update(readFileSync(join(root, file)))
        .digest('hex'),
    ]),
  );
}

/** @returns names of released migrations that are missing or have other contents, but for those of `unreleased`. */
export function changedMigrations(
  frozen: FrozenMigrations,
  hashes: ReadonlyMap<string, string>,
  unreleased?: string,
): string[] {
  return Object.entries(frozen)
    .filter(([name, { release, sha256 }]) => release !== unreleased && hashes.get(name) !== sha256)
    .map(([name]) => name);
}

/** What to do about a released migration that has changed. */
export const CHANGED =
  'has changed since its release, and databases exist that it has migrated. Restore it (git log -- migrations), and write what is to change as a new migration with the next number. Of a version that nobody has yet: npm run freeze.';

/** Freezes what the version adds; what it froze before, while it is unreleased, too. */
export function freeze(version: string, root = '.'): void {
  const frozen = readFrozen(root);
  const hashes = hashMigrations(root);
  const changed = changedMigrations(frozen, hashes, version);
  if (changed.length > 0) throw new Error(`${changed.join(', ')} ${CHANGED}`);
  const now = Object.fromEntries(
    [...hashes].map(([name, sha256]) => {
      const earlier = frozen[name];
      return [
        name,
        earlier !== undefined && earlier.release !== version ? earlier : { release: version, sha256 },
      ];
    }),
  );
  writeFileSync(join(root, FILE), `${JSON.stringify(now, null, 2)}\n`);
}

if (import.meta.main) {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  try {
    freeze(version);
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}
