import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

const DOMAIN_WORDS =
  /\b(clicks?|links?(?!-local)|installs?|webhooks?|postbacks?|campaigns?|attribution|deliver(y|ies)|erasures?|visitors?|fingerprints?)\b/i;

const files = globSync('{src,packages/*/src,migrations}/**/*.ts').filter(
  (file) => !file.endsWith('.test.ts'),
);
const service = files.filter((file) => file.startsWith('src/'));
/** All but the generated table types. */
const written = service.filter((file) => file !== 'src/schema/tables.ts');

describe('architecture', () => {
  it('finds the source files', () => {
    assert.ok(files.length > 60, `${files.length} files`);
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

  it('no file is longer than 300 lines', () => {
    assert.deepEqual(
      written.filter((file) => read(file).split('\n').length > 300),
      [],
    );
  });

  it('each mutation of `npm run test:mutations` has its line once, and its test', () => {
    for (const { name, file, line, test } of JSON.parse(read('test/fixtures/mutations.json'))) {
      assert.equal(read(file).split(line).length, 2, `${name}: ${file}`);
      assert.ok(existsSync(test), `${name}: ${test}`);
    }
  });

  it('tests of the API and of storage are named after the module that they test', () => {
    const named = globSync('test/{api,engine}/**/*.test.ts').map((file) => ({
      file,
      of: file.split('/')[2],
    }));
    const modules = new Set(service.map((file) => file.split('/')[1]?.replace(/\.ts$/, '')));
    const others = named.filter(({ of = '' }) => !modules.has(of.replace(/\.test\.ts$/, '')));
    assert.deepEqual(others, []);
  });
});

function read(file: string): string {
  return readFileSync(file, 'utf8');
}
