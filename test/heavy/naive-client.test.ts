import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { clientOf } from '../../packages/conformance/clients/command.ts';
import { type Service, startService } from '../../packages/conformance/src/service.ts';
import { runSuite } from '../../packages/conformance/src/suite.ts';
import { makeApp } from '../../packages/conformance/src/tenant.ts';

let service: Service;

before(async () => {
  service = await startService();
});
after(() => service.end());

describe('a naive client', () => {
  it('passes only the scenarios that need no care', async () => {
    const outcomes = await runSuite({
      service,
      client: clientOf('naive'),
      only: [],
      concurrency: 4,
      patienceMs: 3_000,
    });
    assert.deepEqual(
      outcomes.filter(({ passed, skipped }) => passed && !skipped).map(({ id }) => id),
      PASSED_BY_NAIVE,
    );
  });
});

describe('the command line', () => {
  it('tests a client against a named service, and skips what needs an app of its own', async () => {
    const { liveKey, sdkKey } = await makeApp(service, NAMED_APP);
    const named = ['--service', service.url.href, '--live-key', liveKey, '--sdk-key', sdkKey];
    const chosen = ['--only', 'play-referrer,warm-link,event-order,claim', '--concurrency', '2'];
    const { stdout } = await runProgram(['--client', clientOf('core-node'), ...named, ...chosen]);
    assert.match(stdout, /^pass {2}play-referrer /m);
    assert.match(stdout, /^skip {2}claim /m);
    assert.match(stdout, /^3 passed, 0 failed, 1 skipped/m);
  });

  it('ends with 1 and tells what happened if a scenario fails', async () => {
    const args = ['--client', 'exit 3', '--only', 'restart', '--service', service.url.href];
    const keys = await makeApp(service, NAMED_APP);
    const run = runProgram([...args, '--live-key', keys.liveKey, '--sdk-key', keys.sdkKey]);
    await assert.rejects(run, (error: { code?: unknown; stdout?: string }) => {
      assert.equal(error.code, 1);
      assert.match(error.stdout ?? '', /^FAIL {2}restart [\s\S]*the client ended by itself with 3/m);
      return true;
    });
  });
});

/** As README.md asks for it. */
const NAMED_APP = { name: 'Shared', fingerprintIos: false, fingerprintAndroid: false };
/**
 * What works while nothing goes wrong. A client that is careful in the wrong way fails these too; the naive one has no
 * storage that could hang, and takes no time from the clock.
 */
const PASSED_BY_NAIVE: readonly string[] = [
  'apple-token',
  'apple-token-too-long',
  'claim',
  'clock-ahead',
  'clock-behind',
  'cold-link-again',
  'consent-denied-erases',
  'event-limits-reached',
  'event-refused',
  'handle-url',
  'link-nobody-took',
  'link-tapped-soon-again',
  'log-without-query',
  'play-referrer',
  'reinstall',
  'restart',
  'revenue-once',
  'share-friend',
  'share-link',
  'storage-hangs',
  'storage-throws-once',
  'warm-link',
  'warm-link-twice',
];

function runProgram(args: readonly string[]): Promise<{ stdout: string }> {
  const program = join(import.meta.dirname, '../../packages/conformance/src/main.ts');
  return promisify(execFile)(process.execPath, [program, ...args]);
}
