import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FailingStatements } from './failing-statements.ts';

const damaged = Object.assign(new Error('database disk image is malformed'), { errcode: 11 });
const full = Object.assign(new Error('database or disk is full'), { errcode: 13 });

describe('FailingStatements', () => {
  it('reports a damaged page until the same statement succeeds', async () => {
    const failing = new FailingStatements();
    await assert.rejects(failing.track('insert', Promise.reject(damaged)));
    await failing.track('select', Promise.resolve());
    assert.equal(failing.fault, damaged);
    await failing.track('insert', Promise.resolve());
    assert.equal(failing.fault, undefined);
  });

  it('ignores other errors, such as a full disk', async () => {
    const failing = new FailingStatements();
    await assert.rejects(failing.track('insert', Promise.reject(full)));
    assert.equal(failing.fault, undefined);
  });
});
