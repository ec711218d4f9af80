import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, it } from 'node:test';

/** Domain-independent modules, and the files that all modules share. */
const BASE = ['lib', 'db', 'server', 'schema', 'config.ts', 'errors.ts', 'foundation.ts'];

/** The modules that each module may import, besides itself. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'main.ts': ['commands', 'lib', 'errors.ts'],
  'routes.ts': [
    ...[
      'accounts',
      'app.ts',
      'foundation.ts',
      'apps',
      'auth',
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
      'privacy',
    ],
    ...['records', 'redirect', 'server', 'skadnetwork', 'stats', 'webhooks'],
  ],
  'app.ts': [
    'routes.ts',
    ...BASE,
    ...['accounts', 'apps', 'auth', 'attribution', 'click-log', 'events'],
    ...['links', 'live', 'privacy', 'redirect', 'skadnetwork', 'stats', 'webhooks', 'migrations'],
  ],
  'errors.ts': [],
  'settings.ts': [],
  'config.ts': ['lib', 'errors.ts', 'settings.ts'],
  'foundation.ts': ['lib', 'db', 'config.ts'],
  'personal-data.ts': ['lib', 'db'],
  'tokens.ts': ['lib', 'links', 'foundation.ts'],
  lib: ['config.ts', 'errors.ts'],
  schema: ['lib'],
  db: ['lib', 'schema', 'config.ts', 'errors.ts'],
  server: ['lib', 'db', 'schema', 'config.ts', 'errors.ts', 'foundation.ts'],
  migrations: ['db'],
  commands: [
    ...[...BASE, 'settings.ts', 'app.ts', 'migrations', 'accounts', 'apps', 'auth', 'attribution', 'audit'],
    ...['click-log', 'devices', 'events', 'installs', 'links', 'records', 'redirect', 'skadnetwork'],
    ...['stats', 'redirect/visitors', 'webhooks'],
  ],
  auth: [...BASE, 'audit'],
  accounts: [...BASE, 'apps', 'audit', 'auth'],
  apps: [...BASE, 'audit', 'auth'],
  audit: BASE,
  console: BASE,
  devices: BASE,
  'redirect/visitors': [...BASE, 'devices'],
  links: [...BASE, 'apps', 'auth', 'audit', 'devices'],
  stats: [...BASE, 'auth', 'links'],
  records: [...BASE, 'auth', 'links', 'stats'],
  live: [...BASE, 'auth', 'links', 'records', 'stats'],
  'click-log': [...BASE, 'personal-data.ts', 'stats', 'redirect/visitors'],
  redirect: [...BASE, 'tokens.ts', 'apps', 'click-log', 'devices', 'links', 'redirect/visitors'],
  fraud: [...BASE, 'auth', 'click-log', 'links', 'stats', 'redirect/visitors'],
  health: [...BASE, 'audit', 'click-log', 'privacy', 'stats', 'webhooks'],
  diagnosis: [...BASE, 'apps', 'auth', 'links', 'redirect', 'redirect/visitors'],
  webhooks: [...BASE, 'apps', 'auth', 'audit'],
  attribution: [
    ...[
      ...BASE,
      'personal-data.ts',
      'tokens.ts',
      'apps',
      'auth',
      'click-log',
      'devices',
      'links',
      'redirect/visitors',
    ],
    ...['stats', 'webhooks'],
  ],
  events: [...BASE, 'personal-data.ts', 'apps', 'auth', 'attribution', 'stats', 'webhooks'],
  installs: [
    ...[...BASE, 'auth', 'attribution', 'audit', 'click-log', 'events', 'links', 'stats', 'webhooks'],
  ],
  skadnetwork: [...BASE, 'apps', 'auth', 'audit', 'webhooks'],
  privacy: [
    ...[
      ...BASE,
      'personal-data.ts',
      'accounts',
      'apps',
      'auth',
      'attribution',
      'audit',
      'click-log',
      'events',
    ],
    ...['skadnetwork', 'stats', 'webhooks'],
  ],
  packages: [],
};

const DOMAIN_WORDS =
  /\b(clicks?|links?(?!-local)|installs?|webhooks?|postbacks?|campaigns?|attribution|deliver(y|ies)|erasures?|visitors?|fingerprints?)\b/i;

/** The files that assemble the service; they may import any file of a module. */
const ASSEMBLERS = ['main.ts', 'app.ts', 'routes.ts', 'commands'];
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

  it('tests of the API and of storage are named after the module that they test', () => {
    const named = globSync('test/{api,engine}/**/*.test.ts').map((file) => ({
      file,
      of: file.split('/')[2],
    }));
    const modules = new Set(service.map(moduleOf).map((name) => name.replace(/\.ts$/, '')));
    const others = named.filter(({ of = '' }) => !modules.has(of.replace(/\.test\.ts$/, '')));
    assert.deepEqual(others, []);
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
  // Modules that need no other part of redirect know what visitors are.
  if (file.startsWith('src/redirect/visitors/')) return 'redirect/visitors';
  return first === 'src' ? second : first;
}

function read(file: string): string {
  return readFileSync(file, 'utf8');
}
