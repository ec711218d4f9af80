import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { clientOf } from '../../packages/conformance/clients/command.ts';
import { missingHermes } from '../../packages/conformance/clients/core-hermes/bundle.ts';
import { details } from '../../packages/conformance/src/report.ts';
import { type Service, startService } from '../../packages/conformance/src/service.ts';
import { readScenarios, runSuite } from '../../packages/conformance/src/suite.ts';
import { startChromium } from '../helpers/browser/chromium.ts';

const chromium = await startChromium();
const missingChromium = 'missing' in chromium && chromium.missing;
if ('end' in chromium) await chromium.end();

describe('clients', () => {
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service.end());

  async function failures(name: string, only: readonly string[] = []): Promise<string[]> {
    const client = clientOf(name);
    const outcomes = await runSuite({ service, client, only, concurrency: 4, patienceMs: 30_000 });
    return outcomes.filter(({ passed }) => !passed).map(details);
  }

  it('core in Chromium passes every scenario', { skip: missingChromium }, async () => {
    assert.deepEqual(await failures('core-chromium'), []);
  });

  it('the Capacitor plugin passes every scenario over its bridge', { skip: missingChromium }, async () => {
    // Two clients of a page share the native one.
    const names = [...readScenarios().keys()].filter((name) => name !== 'storage-second-client');
    assert.deepEqual(await failures('capacitor-chromium', names), []);
  });

  it('core in Hermes passes every scenario', { skip: missingHermes() }, async () => {
    assert.deepEqual(await failures('core-hermes'), []);
  });
});
