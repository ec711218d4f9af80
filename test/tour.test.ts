/** What the README shows is what happens: its tour runs as it stands there, and its settings are those that are read. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { readConfig } from '../src/platform/config.ts';
import { engines, makePlace, type Place } from './engines.ts';
import { type RunningServer, startServer } from './process.ts';

const runFile = promisify(execFile);
const README = readFileSync('README.md', 'utf8');

/** A block of commands and the answer that is shown below it. */
interface Step {
  readonly commands: string;
  readonly shown: string;
  readonly isJson: boolean;
}

const STEPS = stepsOf(sectionOf('A two-minute tour'));

for (const engine of engines)
  describe(`the tour of the README on ${engine}`, () => {
    let place: Place;
    let server: RunningServer | undefined;
    let answers: string[];

    before(async () => {
      place = await makePlace(engine);
      // The answers shown are those of a server with the default settings.
      server = await startServer(place, { PUBLIC_URL: 'http://localhost:8080' });
      answers = await runTour({ BASE: server.url, DATA_DIR: place.dataDir });
    });
    after(async () => {
      await server?.end('SIGTERM');
      await place.remove();
    });

    /** What came back from the calls of an endpoint, in order. */
    function answersOf(path: string) {
      // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds.
      return STEPS.flatMap(({ commands }, index): any[] =>
        commands.includes(`$BASE${path}"`) ? [JSON.parse(answers[index] ?? '')] : [],
      );
    }

    it('the taps are redirected to the store of the phone, Android with the click ID', () => {
      const [iphone, android] = STEPS.flatMap(({ commands }, index) =>
        /^(IPHONE|PIXEL)=/.test(commands) ? [answers[index] ?? ''] : [],
      );
      assert.match(iphone ?? '', /^HTTP\/1\.1 302 Found\r?$[\s\S]*^location: https:\/\/apps\.apple\.com\//m);
      assert.match(android ?? '', /^https:\/\/play\.google\.com\/.*&referrer=svc_click_id%3D[0-9a-f-]{36}$/m);
    });

    it('the first install is attributed by fingerprint, the second by the referrer that Play carried', () => {
      const [byFingerprint, byReferrer, ...others] = answersOf('/v1/sdk/install');
      assert.equal(byFingerprint.method, 'FINGERPRINT');
      assert.ok(Number(byFingerprint.confidence) >= 0.7);
      assert.equal(byReferrer.method, 'INSTALL_REFERRER');
      assert.ok(answers.some((answer) => answer.includes(`svc_click_id%3D${byReferrer.clickId}`)));
      for (const { campaignId, deepLinkPayload } of [byFingerprint, byReferrer]) {
        assert.equal(campaignId, 'spring');
        assert.equal(deepLinkPayload.deepLinkPath, '/shoes/42');
      }
      assert.deepEqual(others, []);
    });

    it('the event has an id', () => {
      const [event] = answersOf('/v1/sdk/event');
      assert.match(event.eventId, /^[0-9a-f-]{36}$/);
    });

    it('the debug endpoint finds the phone that tapped, nobody for the one that did not, and records neither', () => {
      const [tapped, stranger] = answersOf('/v1/debug/attribution');
      assert.equal(tapped.method, 'FINGERPRINT');
      assert.equal(stranger.method, 'ORGANIC');
      assert.deepEqual([tapped.installId, stranger.installId], [null, null]);
    });

    it('every answer is the one shown, but for identifiers, keys and times', () => {
      assert.ok(STEPS.length >= 8, `${STEPS.length} blocks`);
      for (const [index, { shown, isJson, commands }] of STEPS.entries())
        assert.equal(generalised(answers[index] ?? '', isJson), generalised(shown, isJson), commands);
    });
  });

describe('the settings', () => {
  const source = readFileSync('src/platform/config.ts', 'utf8');
  const example = readFileSync('.env.example', 'utf8');
  const read = [...new Set(namesIn(source, /\btext\('([A-Z_]+)'\)/g))].sort();

  it('the table of the README names exactly the variables that are read', () => {
    assert.ok(read.length > 10);
    assert.deepEqual(namesIn(sectionOf('Settings'), /^\| `([A-Z_]+)` +\|/gm).sort(), read);
  });

  it('.env.example names exactly the variables that are read', () => {
    assert.deepEqual(namesIn(example, /^# ([A-Z_]+)=/gm).sort(), read);
    assert.deepEqual(namesIn(example, /^([A-Z_]+)=/gm), []);
  });

  it('what .env.example sets is the default', () => {
    const lines = [...example.matchAll(/^# ([A-Z_]+)=(.*)$/gm)];
    const env = Object.fromEntries(lines.map(([, name, value]) => [name, value]));
    assert.deepEqual(readConfig(env), readConfig({}));
  });
});

/** Runs the blocks in order in one shell that ends at the first failure; gives what each one printed. */
async function runTour(env: Record<string, string>): Promise<string[]> {
  const divided = STEPS.map(({ commands }, index) => `printf '\\n=== block ${index} ===\\n'\n${commands}`);
  const { stdout } = await runFile('sh', ['-c', ['set -eu', ...divided].join('\n')], {
    env: { PATH: process.env.PATH, ...env },
  });
  return stdout.split(/\n=== block \d+ ===\n/).slice(1);
}

/** The text under a heading of the second level. */
function sectionOf(title: string): string {
  const section = README.split(/^## /m).find((text) => text.startsWith(`${title}\n`));
  if (section === undefined) throw new Error(`the README has no section “${title}”`);
  return section;
}

/** Every `sh` block is followed by a `json` or `text` block with its answer. */
function stepsOf(section: string): Step[] {
  const blocks = [...section.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)];
  const steps: Step[] = [];
  for (let index = 0; index < blocks.length; index += 2) {
    const [, language, commands = ''] = blocks[index] ?? [];
    const [, form = 'nothing', shown = ''] = blocks[index + 1] ?? [];
    if (language !== 'sh' || !['json', 'text'].includes(form))
      throw new Error(`a block of the tour is ${language}, followed by ${form}: ${commands}`);
    steps.push({ commands, shown, isJson: form === 'json' });
  }
  return steps;
}

/** Takes out what differs from run to run. */
function generalised(answer: string, isJson: boolean): string {
  const text = isJson ? JSON.stringify(JSON.parse(answer), null, 2) : answer.replaceAll('\r', '').trim();
  return text
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
    .replaceAll(/\d{4}-\d{2}-\d{2}T[\d:.]+Z|(?<=^(Date|x-request-id): ).*$/gm, 'TIME')
    .replaceAll(/(?<=svc_(live|test)_(pub_)?us_)\w+/g, 'RANDOM')
    .replaceAll(/(?<="shortCode": "|\/l\/)\w{8}/g, 'CODE')
    .replaceAll(/(?<=;t=)\d+/g, 'SECONDS');
}

function namesIn(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, name = '']) => name);
}
