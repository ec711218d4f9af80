import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { StartError } from '../errors.ts';
import { onceStarted } from './once-started.ts';

describe('a command that waits for the first start', () => {
  const failing = (times: number, error: Error) => {
    let calls = 0;
    return async () => {
      calls += 1;
      if (calls <= times) throw error;
      return calls;
    };
  };
  const notYet = new StartError('not yet', { mayPass: true });

  it('tries again until the service answers', async () => {
    assert.equal(await onceStarted({ dataDir: tmpdir() }, failing(2, notYet)), 3);
  });

  it('says at last that one may try again', async (t) => {
    let nowMs = 0;
    t.mock.method(performance, 'now', () => (nowMs += 15_000));
    await assert.rejects(onceStarted({ dataDir: tmpdir() }, failing(9, notYet)), {
      name: 'StartError',
      message: /^not yet The service was not ready within 20 seconds: run this again once it is/,
    });
  });

  it('does not wait for what only a person can mend, nor without a DATA_DIR', async () => {
    const refused = new StartError('refused');
    await assert.rejects(onceStarted({ dataDir: tmpdir() }, failing(1, refused)), refused);
    const missing = join(tmpdir(), 'throughline-missing');
    await assert.rejects(onceStarted({ dataDir: missing }, failing(1, notYet)), notYet);
  });
});
