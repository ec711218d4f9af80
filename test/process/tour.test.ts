/** Runs the tour of the README and compares the responses with those it shows. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { engines, makePlace, type Place } from '../helpers/engines.ts';
import { type RunningServer, startServer } from '../helpers/process.ts';

const runFile = promisify(execFile);

/** A block of commands and the response shown below it. */
interface Step {
  readonly commands: string;
  readonly shown: string;
  readonly isJson: boolean;
}

const STEPS = readSteps();
const KEYS = { LIVE_KEY: `svc_live_us_${'a'.repeat(22)}`, SDK_KEY: `svc_live_pub_us_${'b'.repeat(22)}` };

for (const engine of engines)
  describe(`the tour of the README on ${engine}`, () => {
    let place: Place;
    let server: RunningServer | undefined;
    let responses: string[];

    before(async () => {
      place = await makePlace(engine);
      server = await startServer(place, {
        PUBLIC_URL: 'http://localhost:8080',
        BOOTSTRAP_LIVE_KEY: KEYS.LIVE_KEY,
        BOOTSTRAP_SDK_KEY: KEYS.SDK_KEY,
      });
      responses = await runTour({ BASE: server.url, ...KEYS });
    });
    after(async () => {
      await server?.end('SIGTERM');
      await place.remove();
    });

    it('each response equals the README’s, except for identifiers and times', () => {
      assert.equal(STEPS.length, 4);
      for (const [index, { shown, isJson, commands }] of STEPS.entries())
        assert.equal(normalize(responses[index] ?? '', isJson), normalize(shown, isJson), commands);
    });

    it('the install names the click and the deep link', () => {
      const install = JSON.parse(responses[2] ?? '');
      assert.equal(install.method, 'FINGERPRINT');
      assert.ok(Number(install.confidence) >= 0.7);
      assert.equal(install.deepLinkPayload.deepLinkPath, '/shoes/42');
      const { explanation } = JSON.parse(responses[3] ?? '');
      assert.equal(explanation.fingerprint.candidates[0].clickId, install.clickId);
    });
  });

/** Runs the blocks in order in one shell that ends at the first failure; returns the output of each. */
async function runTour(env: Record<string, string>): Promise<string[]> {
  const divided = STEPS.map(({ commands }, index) => `printf '\\n=== block ${index} ===\\n'\n${commands}`);
  const { stdout } = await runFile('sh', ['-c', ['set -eu', ...divided].join('\n')], {
    env: { PATH: process.env.PATH, ...env },
  });
  return stdout.split(/\n=== block \d+ ===\n/).slice(1);
}

/** The `sh` blocks of the tour that a `json` or `text` block with the response follows. */
function readSteps(): Step[] {
  const [, tour = ''] = readFileSync('README.md', 'utf8').split('\n## A tour in four requests\n');
  return [...tour.matchAll(/^```sh\n([^`]*)^```\n+```(json|text)\n([^`]*)^```$/gm)].map(
    ([, commands = '', language, shown = '']) => ({ commands, shown, isJson: language === 'json' }),
  );
}

/** Replaces the values that differ from run to run. */
function normalize(response: string, isJson: boolean): string {
  const text = isJson ? JSON.stringify(JSON.parse(response), null, 2) : response.replaceAll('\r', '').trim();
  return text
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
    .replaceAll(/\d{4}-\d{2}-\d{2}T[\d:.]+Z|(?<=^(Date|x-request-id): ).*$/gm, 'TIME')
    .replaceAll(/(?<="(ageSeconds|confidence|priorOdds|probability)": )[^,\n]*/g, 'NUMBER')
    .replaceAll(/(?<=best scored )[\d.]+|\d+ seconds? old/g, 'NUMBER');
}
