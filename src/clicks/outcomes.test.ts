import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import type { Ctx } from '../platform/ctx.ts';
import { Outcomes } from './outcomes.ts';

function open() {
  const metrics = new Registry();
  const ctx = { metrics, clock: { nowMs: () => 60_000 }, log: pino({ level: 'silent' }) } as unknown as Ctx;
  return { outcomes: new Outcomes(ctx), text: () => metrics.metrics() };
}

describe('what becomes of clicks', () => {
  it('is told to all of a write, and each counts as what it is', async () => {
    const { outcomes, text } = open();
    const written = Promise.withResolvers<void>();
    const told = (['human', 'tool', 'human'] as const).map((visitor) =>
      outcomes.of(visitor, written.promise),
    );
    assert.doesNotMatch(await text(), /recorded_total\{/);
    written.resolve();
    assert.deepEqual(await Promise.all(told), [true, true, true]);
    assert.match(await text(), /recorded_total\{visitor="human"\} 2$/m);
    assert.match(await text(), /recorded_total\{visitor="tool"\} 1$/m);
    assert.equal(outcomes.lost, 0);
  });

  it('is a loss of each where the write fails, and not of those refused or written beside it', async () => {
    const { outcomes, text } = open();
    const failing = Promise.withResolvers<void>();
    const told = [
      outcomes.of('human', failing.promise),
      outcomes.of('human', Promise.reject(new Error('the journal is full'))),
      outcomes.of('tool', failing.promise),
    ];
    failing.reject(new Error('no space'));
    assert.deepEqual(await Promise.all(told), [false, false, false]);
    assert.notEqual(outcomes.fault, undefined);
    assert.equal(await outcomes.of('human', Promise.resolve()), true);
    // A small one may fit where the next does not.
    assert.notEqual(outcomes.fault, undefined);
    assert.equal(outcomes.lost, 3);
    assert.match(await text(), /lost_total 3$/m);
    assert.match(await text(), /recorded_total\{visitor="human"\} 1$/m);
  });

  it('can be written again once there is room, unless one was lost while somebody looked for it', async () => {
    const { outcomes } = open();
    await outcomes.of('human', Promise.reject(new Error('no space')));
    await outcomes.tryAgain(Promise.reject(new Error('no space')));
    assert.notEqual(outcomes.fault, undefined);
    const room = Promise.withResolvers<void>();
    const tried = outcomes.tryAgain(room.promise);
    await outcomes.of('human', Promise.reject(new Error('no space')));
    room.resolve();
    await tried;
    assert.notEqual(outcomes.fault, undefined);
    await outcomes.tryAgain(Promise.resolve());
    assert.equal(outcomes.fault, undefined);
  });
});
