import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { clientOf } from '../../packages/conformance/clients/command.ts';
import { details } from '../../packages/conformance/src/report.ts';
import { runScenario } from '../../packages/conformance/src/run-scenario.ts';
import { type Service, startService } from '../../packages/conformance/src/service.ts';
import { readScenarios } from '../../packages/conformance/src/suite.ts';
import { startChromium } from '../helpers/browser/chromium.ts';

/** What a page's `fetch` does differently: its errors, broken answers, and headers of another origin. */
const ABOUT_FETCH = [
  'event-batch-refused',
  'event-killed-before-flush',
  'event-retry-after',
  'install-answer-cut',
  'install-captive-portal',
  'install-request-lost',
  'install-unknown',
  'link-offline',
  'play-referrer',
  'share-limit',
];

const chromium = await startChromium();
const missing = 'missing' in chromium && chromium.missing;
if ('end' in chromium) await chromium.end();

describe('core in Chromium', { concurrency: 4, skip: missing }, () => {
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service.end());

  const scenarios = readScenarios();
  for (const name of ABOUT_FETCH) {
    const scenario = scenarios.get(name);
    assert.ok(scenario, name);
    it(`${scenario.title} (${name})`, async () => {
      const setting = { service, client: clientOf('core-chromium'), patienceMs: 20_000 };
      const outcome = await runScenario(name, scenario, setting);
      assert.ok(outcome.passed, details(outcome));
    });
  }
});
