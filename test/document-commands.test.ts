/** Every command of the documents is run by a test, and every setting that they show is one. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { parseEnv } from 'node:util';
import { readConfig } from '../src/config.ts';
import { SETTINGS } from '../src/settings.ts';
import { blocksOf, commandsOf, PAGES } from './helpers/documents/blocks.ts';
import { entriesOf, isOf, LISTED } from './helpers/documents/listed.ts';

const TESTS = globSync('test/{process,heavy,ship}/*.test.ts').map((file) => ({
  file,
  text: readFileSync(file, 'utf8'),
}));
const REFERENCE = 'docs/reference/commands.md';
/** In a sentence, with one word or more that may follow it. */
const COMMAND = /`(?:npx |sudo )?throughline ([a-z]+)(?: ([a-z]+(?:\\\|[a-z]+)*)(?=[` ]))?/g;
/** Read by the packages of OpenTelemetry. */
const OF_OTHERS = /^OTEL_/;

describe('the commands of the documents', () => {
  it('are each run by one test', () => {
    const faults = PAGES.flatMap(commandsOf).flatMap((block) => {
      const entries = entriesOf(block).map(({ test }) => test);
      const named = TESTS.filter(({ text }) => text.includes(`'${block.page}'`)).map(({ file }) => file);
      const tests = entries.length > 0 ? entries : named;
      return tests.length === 1
        ? []
        : [`${block.page}:${block.line} is run by ${tests.join(' and ') || 'no test'}`];
    });
    assert.deepEqual(faults, []);
  });

  it('are in blocks with a language', () => {
    const without = PAGES.flatMap(blocksOf).filter(({ language }) => language === '');
    assert.deepEqual(
      without.map(({ page, line }) => `${page}:${line}`),
      [],
    );
  });

  it('within sentences are in the reference of commands', () => {
    const known = new Set(
      [...readFileSync(REFERENCE, 'utf8').matchAll(COMMAND)].flatMap(([, command = '', words = '']) => [
        command,
        ...words.split('\\|').map((word) => `${command} ${word}`),
      ]),
    );
    assert.ok(known.size > 30);
    for (const page of PAGES.filter((each) => each !== REFERENCE))
      for (const [, command = '', word] of readFileSync(page, 'utf8').matchAll(COMMAND)) {
        const named = word === undefined ? command : `${command} ${word}`;
        assert.ok(known.has(named), `${page}: throughline ${named}`);
      }
  });

  it('that are listed exist, as do their tests', () => {
    for (const one of LISTED) {
      const found = commandsOf(one.page).filter((block) => isOf(block, one));
      assert.equal(found.length, 1, `${one.page}: ${found.length} blocks begin with “${one.begin}”`);
      assert.ok(existsSync(one.test), one.test);
      if (one.because === undefined)
        assert.ok(readFileSync(one.test, 'utf8').includes(`blocksFor('${one.test}')`), one.test);
    }
  });
});

describe('the settings of the documents', () => {
  const blocks = PAGES.flatMap(blocksOf).filter(
    ({ language, text }) =>
      language === 'ini' && text.split('\n').every((line) => /^(?:[A-Z_]+=.*)?$/.test(line)),
  );

  it('exist, are valid, and need no shell or comment beside them', () => {
    assert.ok(blocks.length > 5);
    for (const { page, line, text } of blocks) {
      const settings = parseEnv(text);
      // systemd and `docker run --env-file` take what follows the sign as it is.
      const lines = [...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value]) => [name, value]);
      assert.deepEqual(settings, Object.fromEntries(lines), `${page}:${line}`);
      assert.doesNotMatch(text, /[$`]/, `${page}:${line}`);
      const own = Object.entries(settings).filter(([name]) => !OF_OTHERS.test(name));
      for (const [name] of own) assert.ok(Object.hasOwn(SETTINGS, name), `${page}:${line}: ${name}`);
      assert.doesNotThrow(
        () => readConfig({ PUBLIC_URL: 'https://links.example.com', ...Object.fromEntries(own) }),
        `${page}:${line}`,
      );
    }
  });
});

describe('JSON of the documents', () => {
  it('can be read, unless it leaves something out', () => {
    for (const { page, line, text } of PAGES.flatMap(blocksOf).filter(({ language }) => language === 'json'))
      if (!text.includes('…')) assert.doesNotThrow(() => JSON.parse(text), `${page}:${line}`);
  });
});
