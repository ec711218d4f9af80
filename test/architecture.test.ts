import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, it } from 'node:test';

/** Domain-independent modules, and the files that all modules share. */
const BASE = ['lib', 'db', 'server', 'schema', 'config.ts', 'errors.ts'];

/** The modules that each module may import, besides itself. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'main.ts': ['cli', 'lib', 'errors.ts', 'tools'],
  'routes.ts': [
    ...[
      'accounts',
      'app.ts',
      'apps',
      'attribution',
      'audit',
      'console',
      'diagnosis',
      'events',
      'fraud',
      'health',
      'installs',
      'links',
      'live',
      'opens',
      'privacy',
    ],
    ...['records', 'redirect', 'server', 'skadnetwork', 'stats', 'webhooks'],
  ],
  'app.ts': [
    'routes.ts',
    ...BASE,
    ...['accounts', 'apps', 'attribution', 'audit', 'click-log', 'diagnosis', 'events', 'fraud'],
    ...['installs', 'links', 'live', 'privacy', 'redirect', 'skadnetwork', 'stats', 'webhooks', 'migrations'],
  ],
  'errors.ts': [],
  'settings.ts': [],
  'config.ts': ['lib', 'errors.ts', 'settings.ts'],
  'personal-data.ts': ['lib', 'db'],
  lib: ['config.ts', 'errors.ts'],
  schema: ['lib'],
  db: ['lib', 'schema', 'config.ts', 'errors.ts'],
  server: ['lib', 'db', 'schema', 'config.ts', 'errors.ts'],
  migrations: ['db'],
  cli: [
    ...BASE,
    'settings.ts',
    'tools',
    'accounts',
    'app.ts',
    'apps',
    'attribution',
    'click-log',
    'installs',
    'migrations',
    'records',
  ],
  accounts: [...BASE, 'apps', 'audit'],
  apps: [...BASE, 'audit'],
  audit: BASE,
  console: BASE,
  devices: BASE,
  visitors: [...BASE, 'devices'],
  links: [...BASE, 'apps', 'audit', 'devices'],
  stats: [...BASE, 'apps', 'links'],
  records: [...BASE, 'apps', 'links', 'stats'],
  live: [...BASE, 'apps', 'links', 'records', 'stats'],
  'click-log': [...BASE, 'personal-data.ts', 'stats', 'visitors'],
  redirect: [...BASE, 'apps', 'click-log', 'devices', 'links', 'visitors'],
  fraud: [...BASE, 'apps', 'click-log', 'links', 'stats', 'visitors'],
  health: [...BASE, 'audit', 'click-log', 'privacy', 'stats', 'webhooks'],
  diagnosis: [...BASE, 'apps', 'links', 'redirect', 'visitors'],
  webhooks: [...BASE, 'apps', 'audit'],
  attribution: [
    ...[...BASE, 'apps', 'click-log', 'devices', 'links', 'redirect', 'stats', 'visitors', 'webhooks'],
  ],
  events: [...BASE, 'personal-data.ts', 'apps', 'installs', 'stats', 'webhooks'],
  installs: [
    ...[...BASE, 'personal-data.ts', 'apps', 'attribution', 'audit', 'click-log', 'events', 'links'],
    ...['opens', 'stats', 'webhooks'],
  ],
  opens: [...[...BASE, 'personal-data.ts', 'apps', 'attribution', 'installs', 'links', 'stats', 'webhooks']],
  skadnetwork: [...BASE, 'apps', 'audit', 'webhooks'],
  privacy: [
    ...[...BASE, 'personal-data.ts', 'accounts', 'apps', 'audit', 'click-log', 'events'],
    ...['installs', 'opens', 'skadnetwork', 'stats', 'webhooks'],
  ],
  packages: [],
};

const DOMAIN_WORDS =
  /\b(clicks?|links?(?!-local)|installs?|webhooks?|postbacks?|campaigns?|attribution|deliver(y|ies)|erasures?|visitors?|fingerprints?)\b/i;

/** The files that assemble the service; they may import any file of a module. */
const ASSEMBLERS = ['main.ts', 'app.ts', 'routes.ts', 'cli'];
/** Folders of independent files. */
const WITHOUT_INDEX = ['lib', 'server', 'schema', 'migrations'];

interface Import {
  readonly file: string;
  readonly target: string;
}

const files = globSync('{src,packages/*/src,migrations}/**/*.ts').filter(
  (file) => !file.endsWith('.test.ts'),
);
const service = files.filter((file) => file.startsWith('src/'));
/** All but the generated table types. */
const written = service.filter((file) => file !== 'src/schema/tables.ts');
const imports = files.flatMap(importsOf);

describe('architecture', () => {
  it('finds the source files', () => {
    assert.ok(files.length > 60, `${files.length} files`);
    assert.ok(imports.length > 150, `${imports.length} imports`);
  });

  it('each module imports only the modules that the table allows', () => {
    const forbidden = imports.filter(({ file, target }) => {
      const [from, to] = [moduleOf(file), moduleOf(target)];
      return from !== to && !MAY_IMPORT[from]?.includes(to);
    });
    assert.deepEqual(forbidden, []);
  });

  it('other modules import only the index.ts of a module', () => {
    const pastTheIndex = imports.filter(({ file, target }) => {
      const [from, to] = [moduleOf(file), moduleOf(target)];
      if (from === to || WITHOUT_INDEX.includes(to) || ASSEMBLERS.includes(from)) return false;
      return !target.endsWith(`${to}/index.ts`) && to !== target.split('/').at(-1);
    });
    assert.deepEqual(pastTheIndex, []);
  });

  it('no field of a request replaces a value that stands before it', () => {
    const offenders = service.filter((file) => /,\s*\.\.\.(\w+\.)?(body|query|headers)\b/.test(read(file)));
    assert.deepEqual(offenders, []);
  });

  it('only lib/clock reads the system clock', () => {
    const offenders = service.filter(
      (file) => file !== 'src/lib/clock.ts' && /Date\.now\(|new Date\(\)|performance\.now\(/.test(read(file)),
    );
    assert.deepEqual(offenders, []);
  });

  it('only db imports a database driver', () => {
    const offenders = files.filter(
      (file) =>
        !file.startsWith('src/db/') &&
        // Use SQLite for its file lock, which the system releases when the process dies, and to look for data before the start.
        !['lock', 'stored-data'].some((name) => file === `src/lib/data-dir/${name}.ts`) &&
        /from '(pg|pg-[a-z-]+|node:sqlite)'/.test(read(file)),
    );
    assert.deepEqual(offenders, []);
  });

  it('server, db and lib contain no domain term', () => {
    const lines = service
      .filter((file) => /^src\/(server|db|lib)\//.test(file))
      .flatMap((file) =>
        read(file)
          .split('\n')
          .map((line) => `${file}: ${line.trim()}`),
      );
    assert.deepEqual(
      lines.filter((line) => DOMAIN_WORDS.test(line)),
      [],
    );
  });

  it('every export is imported by another file', () => {
    const readers = globSync('{src,packages/*/src,migrations,tools,bench,test}/**/*.ts').map((file) => ({
      file,
      words: new Set(read(file).match(/\w+/g)),
    }));
    const declared = /^export (?:async )?(?:const|function\*?|class|interface|type) (\w+)/gm;
    const unused = written.flatMap((file) =>
      [...read(file).matchAll(declared)]
        .map(([, name = '']) => name)
        .filter((name) => !readers.some((other) => other.file !== file && other.words.has(name)))
        .map((name) => `${file} ${name}`),
    );
    assert.deepEqual(unused, []);
  });

  it('no file is longer than 300 lines', () => {
    assert.deepEqual(
      written.filter((file) => read(file).split('\n').length > 300),
      [],
    );
  });

  it('every module is in the table', () => {
    const modules = new Set(files.map(moduleOf));
    assert.deepEqual([...modules].sort(), Object.keys(MAY_IMPORT).sort());
  });
});

function importsOf(file: string): Import[] {
  const specifiers = [...read(file).matchAll(/(?:from|import) '(\.[^']+)'/g)].map((match) => match[1] ?? '');
  return specifiers.map((specifier) => ({ file, target: normalize(join(dirname(file), specifier)) }));
}

/** `src/links/queries.ts` is in `links`, `src/app.ts` in `app.ts`, `migrations/index.ts` in `migrations`. */
function moduleOf(file: string): string {
  const [first = '', second = ''] = file.split('/');
  return first === 'src' ? second : first;
}

function read(file: string): string {
  return readFileSync(file, 'utf8');
}
