/** Runs the tour of the README and compares the responses with those it shows. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { runnable } from '../helpers/documents/listed.ts';
import { type Ran, runBlocks } from '../helpers/documents/shell.ts';
import { engines, makePlace, type Place } from '../helpers/engines.ts';
import { type RunningServer, startServer } from '../helpers/process.ts';

const KEYS = { LIVE_KEY: `svc_live_us_${'a'.repeat(22)}`, SDK_KEY: `svc_live_pub_us_${'b'.repeat(22)}` };

for (const engine of engines)
  describe(`the tour of the README on ${engine}`, () => {
    let place: Place;
    let server: RunningServer | undefined;
    let steps: readonly Ran[];

    before(async () => {
      place = await makePlace(engine);
      server = await startServer(place, {
        PUBLIC_URL: 'http://localhost:8080',
        BOOTSTRAP_LIVE_KEY: KEYS.LIVE_KEY,
        BOOTSTRAP_SDK_KEY: KEYS.SDK_KEY,
      });
      const ran = await runBlocks(runnable('README.md'), {
        cwd: place.dataDir,
        env: {},
        placeholders: [
          ['http://localhost:8080', server.url],
          ['svc_live_us_…', KEYS.LIVE_KEY],
          ['svc_live_pub_us_…', KEYS.SDK_KEY],
        ],
      });
      steps = ran.filter(({ block }) => block.shown !== null);
    });
    after(async () => {
      await server?.end('SIGTERM');
      await place.remove();
    });

    it('each response equals the README’s, except for identifiers and times', () => {
      assert.equal(steps.length, 4);
      for (const { block, output } of steps) {
        const { text = '', language } = block.shown ?? {};
        assert.equal(normalize(output, language), normalize(text, language), block.text);
      }
    });

    it('the install names the click and the deep link', () => {
      const install = JSON.parse(steps[2]?.output ?? '');
      assert.equal(install.method, 'FINGERPRINT');
      assert.ok(Number(install.confidence) >= 0.7);
      assert.equal(install.deepLinkPayload.deepLinkPath, '/shoes/42');
      const { explanation } = JSON.parse(steps[3]?.output ?? '');
      assert.equal(explanation.fingerprint.candidates[0].clickId, install.clickId);
    });
  });

/** Replaces the values that differ from run to run. */
function normalize(response: string, language = ''): string {
  const text =
    language === 'json'
      ? JSON.stringify(JSON.parse(response), null, 2)
      : response.replaceAll('\r', '').trim();
  return text
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
    .replaceAll(/\d{4}-\d{2}-\d{2}T[\d:.]+Z|(?<=^(Date|x-request-id): ).*$/gm, 'TIME')
    .replaceAll(/(?<="(ageSeconds|confidence|priorOdds|probability)": )[^,\n]*/g, 'NUMBER')
    .replaceAll(/(?<=best scored )[\d.]+|\d+ seconds? old/g, 'NUMBER');
}
