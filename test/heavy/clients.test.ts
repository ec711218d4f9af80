import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { clientOf } from '../../packages/conformance/clients/command.ts';
import { details } from '../../packages/conformance/src/report.ts';
import { type Service, startService } from '../../packages/conformance/src/service.ts';
import { runSuite } from '../../packages/conformance/src/suite.ts';

describe('clients', () => {
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service.end());

  it('core in Chromium passes every scenario', async () => {
    const client = clientOf('core-chromium');
    const outcomes = await runSuite({ service, client, only: [], concurrency: 4, patienceMs: 30_000 });
    assert.deepEqual(outcomes.filter(({ passed }) => !passed).map(details), []);
  });
});
