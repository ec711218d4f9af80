/**
 * Sets the version that the service, its packages and its clients share: `npm run set-version 0.2.0`. With a day,
 * `npm run set-version 0.2.0 2026-12-31`, the changelogs say that it was released then.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const VERSION = String.raw`\d+\.\d+\.\d+(?:-(?:alpha|beta|rc)\.\d+)?`;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** What stands before one of our versions, among those of others. */
const BEFORE = [
  '^ {2}"version": "',
  '"@throughline/[a-z-]+": "',
  String.raw`\bversion(?:: String)? = ['"]`,
  String.raw`\bthroughline-[a-z-]+[/-]`,
  String.raw`\bdev\.throughline:[a-z-]+:`,
  String.raw`\bthroughline[^"\n]*", (?:from|exact): "`,
];
const STATED = new RegExp(`(?<=${BEFORE.join('|')})${VERSION}`, 'gim');
/** Where our versions stand. The lock file has its own function, since other versions look the same there. */
const FILES = [
  '{.,console,packages/*}/package.json',
  '{packages,clients}/*/*.{md,js,swift,podspec}',
  '{packages,clients}/*/{src,Sources,test,Tests,kit,tools,ios,android}/**/*.{ts,tsx,js,kt,java,swift,xml}',
  'docs/guide/*.md',
];

const HEADING = new RegExp(`^## (${VERSION}) \\((unreleased|\\d{4}-\\d{2}-\\d{2})\\)$`, 'm');

/** Each statement of our version below `root`. */
export function statedVersions(root = '.'): { file: string; version: string }[] {
  const stated = globSync(FILES, { cwd: root })
    .sort()
    .flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(STATED)].map(([version]) => ({ file, version })),
    );
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock;
  return [...stated, ...lockedPackages(lock).map(({ version }) => ({ file: 'package-lock.json', version }))];
}

export function changelogs(): string[] {
  return globSync('{.,packages/*,clients/*}/CHANGELOG.md').sort();
}

/** @returns the heading of the newest version; null if the file has another form. */
export function newestEntry(changelog: string): { version: string; released: string } | null {
  const [, version, released] = /^# Changelog\n\n(## .*)$/m.exec(changelog)?.[1]?.match(HEADING) ?? [];
  return version === undefined || released === undefined ? null : { version, released };
}

export function setVersion(version: string, day: string | undefined): void {
  for (const file of globSync(FILES)) rewrite(file, (text) => text.replace(STATED, version));
  for (const file of changelogs()) rewrite(file, (text) => withEntry(text, version, day ?? 'unreleased'));
  rewrite('package-lock.json', (text) => {
    const lock = JSON.parse(text) as Lock;
    lock.version = version;
    for (const entry of lockedPackages(lock)) {
      entry.version = version;
      for (const needed of [entry.dependencies ?? {}, entry.devDependencies ?? {}])
        for (const name of Object.keys(needed)) if (name.startsWith('@throughline/')) needed[name] = version;
    }
    return `${JSON.stringify(lock, null, 2)}\n`;
  });
}

/** Names what is unreleased; a released version stays, and gets a new entry above it. */
function withEntry(changelog: string, version: string, released: string): string {
  const heading = `## ${version} (${released})`;
  const isReleased = newestEntry(changelog)?.released !== 'unreleased';
  return isReleased
    ? changelog.replace('# Changelog\n', `# Changelog\n\n${heading}\n`)
    : changelog.replace(HEADING, heading);
}

interface Locked {
  version: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

interface Lock {
  version: string;
  packages: Record<string, Locked>;
}

/** The root and its workspaces. */
function lockedPackages({ packages }: Lock) {
  return Object.entries(packages).flatMap(([path, entry]) =>
    path.startsWith('node_modules/') ? [] : [entry],
  );
}

function rewrite(file: string, change: (text: string) => string): void {
  const text = readFileSync(file, 'utf8');
  const changed = change(text);
  if (changed !== text) writeFileSync(file, changed);
}

if (import.meta.main) {
  const [version = '', day] = process.argv.slice(2);
  if (!new RegExp(`^${VERSION}$`).test(version) || (day !== undefined && !DAY.test(day))) {
    console.error('Give the version, and the day if it is released: npm run set-version 0.2.0 2026-12-31');
    process.exitCode = 1;
  } else setVersion(version, day);
}
