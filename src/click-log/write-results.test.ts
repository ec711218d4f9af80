import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createLog } from '../lib/log.ts';
import { JournalFull } from './journal/index.ts';
import { WriteResults } from './write-results.ts';

function open() {
  const metrics = new Registry();
  const deps = { metrics, clock: { nowMs: () => 60_000 }, log: pino({ level: 'silent' }) };
  return { results: new WriteResults(deps), text: () => metrics.metrics() };
}

describe('results of writes to the journal', () => {
  it('resolve for all clicks of a write, and count them by kind of visitor', async () => {
    const { results, text } = open();
    const written = Promise.withResolvers<void>();
    const onDisk = (['human', 'tool', 'human'] as const).map((visitor) =>
      results.add(visitor, written.promise),
    );
    assert.doesNotMatch(await text(), /recorded_total\{/);
    written.resolve();
    assert.deepEqual(await Promise.all(onDisk), [true, true, true]);
    assert.match(await text(), /recorded_total\{visitor="human"\} 2$/m);
    assert.match(await text(), /recorded_total\{visitor="tool"\} 1$/m);
    assert.equal(results.lost, 0);
  });

  it('count every click of a failed write as lost, and no other', async () => {
    const { results, text } = open();
    const failing = Promise.withResolvers<void>();
    const onDisk = [
      results.add('human', failing.promise),
      results.add('human', Promise.reject(new Error('the journal is full'))),
      results.add('tool', failing.promise),
    ];
    failing.reject(new Error('no space'));
    assert.deepEqual(await Promise.all(onDisk), [false, false, false]);
    assert.notEqual(results.fault, undefined);
    assert.equal(await results.add('human', Promise.resolve()), true);
    // A larger write may still fail.
    assert.notEqual(results.fault, undefined);
    assert.equal(results.lost, 3);
    assert.match(await text(), /lost_total 3$/m);
    assert.match(await text(), /recorded_total\{visitor="human"\} 1$/m);
  });

  it('that find the journal full are one known condition without a stack', async () => {
    const lines: Record<string, unknown>[] = [];
    const log = createLog('warn', { to: { write: (line) => lines.push(JSON.parse(line)) } });
    const deps = { metrics: new Registry(), clock: { nowMs: () => 60_000 }, log };
    await new WriteResults(deps).add('human', Promise.reject(new JournalFull('The click journal is full.')));
    const [line] = lines;
    assert.deepEqual([line?.condition, line?.reason], ['clicks not recorded', 'The click journal is full.']);
    assert.doesNotMatch(JSON.stringify(lines), /stack| at /);
  });

  it('clear the fault after a successful probe, unless a click was lost meanwhile', async () => {
    const { results } = open();
    await results.add('human', Promise.reject(new Error('no space')));
    await results.retry(Promise.reject(new Error('no space')));
    assert.notEqual(results.fault, undefined);
    const probe = Promise.withResolvers<void>();
    const retried = results.retry(probe.promise);
    await results.add('human', Promise.reject(new Error('no space')));
    probe.resolve();
    await retried;
    assert.notEqual(results.fault, undefined);
    await results.retry(Promise.resolve());
    assert.equal(results.fault, undefined);
  });
});
