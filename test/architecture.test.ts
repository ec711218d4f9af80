import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, it } from 'node:test';

const ROOMS =
  read('ARCHITECTURE.md')
    .split('\n## ')
    .find((section) => section.startsWith('The rooms')) ?? '';
/** What each room may import, by the table of ARCHITECTURE.md; every room may import itself. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  [...ROOMS.matchAll(/^\| `(?:src\/)?([a-z.]+)\/?` .*\|([^|]*)\|$/gm)].map(([, room = '', rooms = '']) => [
    room,
    [...rooms.matchAll(/`([a-z.]+)`/g)].map(([, name = '']) => name),
  ]),
);

/** Only those that wire may look past a room's public face. */
const WIRES = ['main.ts', 'app.ts', 'cli'];

interface Import {
  readonly file: string;
  readonly target: string;
}

const files = globSync('{src,sdk,migrations}/**/*.ts').filter((file) => !file.endsWith('.test.ts'));
const service = files.filter((file) => file.startsWith('src/'));
const imports = files.flatMap(importsOf);

describe('architecture', () => {
  it('reads the source at all', () => {
    assert.ok(files.length > 60, `${files.length} files`);
    assert.ok(imports.length > 150, `${imports.length} imports`);
  });

  it('every room imports only the rooms that the table allows', () => {
    const forbidden = imports.filter(({ file, target }) => {
      const [from, to] = [roomOf(file), roomOf(target)];
      return from !== to && !MAY_IMPORT[from]?.includes(to);
    });
    assert.deepEqual(forbidden, []);
  });

  it('a room is entered by its index.ts only, but for those that wire', () => {
    const pastTheFace = imports.filter(({ file, target }) => {
      const [from, to] = [roomOf(file), roomOf(target)];
      if (from === to || to === 'platform' || to === 'migrations' || WIRES.includes(from)) return false;
      return !target.endsWith(`${to}/index.ts`) && to !== target.split('/').at(-1);
    });
    assert.deepEqual(pastTheFace, []);
  });

  it('only platform/clock asks the machine for the time', () => {
    const offenders = service.filter(
      (file) =>
        file !== 'src/platform/clock.ts' && /Date\.now\(|new Date\(\)|performance\.now\(/.test(read(file)),
    );
    assert.deepEqual(offenders, []);
  });

  it('only platform/db imports a database’s driver', () => {
    const offenders = files.filter(
      (file) =>
        !file.startsWith('src/platform/db/') &&
        // A lock that the system gives back when its process dies, in a file that is no database of ours.
        file !== 'src/platform/data-dir/lock.ts' &&
        /from '(pg|pg-[a-z-]+|node:sqlite)'/.test(read(file)),
    );
    assert.deepEqual(offenders, []);
  });

  it('what is exported is imported somewhere: what one file alone uses is its own', () => {
    const readers = globSync('{src,sdk,migrations,bench,test}/**/*.ts').map((file) => ({
      file,
      words: new Set(read(file).match(/\w+/g)),
    }));
    const declared = /^export (?:async )?(?:const|function\*?|class|interface|type) (\w+)/gm;
    const unused = service.flatMap((file) =>
      [...read(file).matchAll(declared)]
        .map(([, name = '']) => name)
        .filter((name) => !readers.some((other) => other.file !== file && other.words.has(name)))
        .map((name) => `${file} ${name}`),
    );
    assert.deepEqual(unused, []);
  });

  it('no file is longer than 300 lines', () => {
    assert.deepEqual(
      service.filter((file) => read(file).split('\n').length > 300),
      [],
    );
  });

  it('every room is in the table', () => {
    const rooms = new Set(files.map(roomOf));
    assert.deepEqual([...rooms].sort(), Object.keys(MAY_IMPORT).sort());
  });
});

function importsOf(file: string): Import[] {
  const specifiers = [...read(file).matchAll(/(?:from|import) '(\.[^']+)'/g)].map((match) => match[1] ?? '');
  return specifiers.map((specifier) => ({ file, target: normalize(join(dirname(file), specifier)) }));
}

/** `src/links/queries.ts` is in `links`, `src/app.ts` in `app.ts`, `migrations/index.ts` in `migrations`. */
function roomOf(file: string): string {
  const [first = '', second = ''] = file.split('/');
  return first === 'src' ? second : first;
}

function read(file: string): string {
  return readFileSync(file, 'utf8');
}
