import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FailingStatements } from './failing-statements.ts';

const damaged = Object.assign(new Error('database disk image is malformed'), { errcode: 11 });
const full = Object.assign(new Error('database or disk is full'), { errcode: 13 });

describe('statements that meet a damaged page', () => {
  it('are known until the same statement succeeds, whatever else does', async () => {
    const failing = new FailingStatements();
    await assert.rejects(failing.during('insert', Promise.reject(damaged)));
    await failing.during('select', Promise.resolve());
    assert.equal(failing.fault, damaged);
    await failing.during('insert', Promise.resolve());
    assert.equal(failing.fault, undefined);
  });

  it('are not those that failed for a reason that passes, which the next check meets by itself', async () => {
    const failing = new FailingStatements();
    await assert.rejects(failing.during('insert', Promise.reject(full)));
    assert.equal(failing.fault, undefined);
  });
});
