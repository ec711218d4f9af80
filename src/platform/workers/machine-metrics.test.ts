import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Counter, Gauge, Registry } from 'prom-client';
import { MachineMetrics, sumMetrics } from './machine-metrics.ts';
import type { ProcessMetrics } from './messages.ts';

/** What a worker says that took so many taps and has so many bytes waiting, as it arrives over the channel. */
async function saying(taps: number, bytes: number): Promise<ProcessMetrics> {
  const registers = [new Registry()];
  new Counter({ name: 'taps_total', help: 'Taps', registers }).inc(taps);
  new Gauge({ name: 'waiting_bytes', help: 'Bytes', registers }).set(bytes);
  return JSON.parse(JSON.stringify(await registers[0]?.getMetricsAsJSON())) as ProcessMetrics;
}

async function textOf(metrics: MachineMetrics): Promise<string> {
  const replies = await metrics.all();
  return await sumMetrics(replies.flatMap((reply) => (reply.state === 'answered' ? [reply.answer] : [])));
}

describe('the metrics of a machine', () => {
  it('are the sum over its workers, beside the supervisor’s own', async () => {
    const metrics = new MachineMetrics(() => 2);
    metrics.note(1, await saying(3, 10));
    metrics.note(2, await saying(4, 20));
    const text = await textOf(metrics);
    assert.match(text, /^taps_total 7$/m);
    assert.match(text, /^waiting_bytes 30$/m);
    assert.match(text, /^throughline_workers 2$/m);
  });

  it('keep what workers that died had counted, and not what they held', async () => {
    const metrics = new MachineMetrics(() => 1);
    metrics.note(1, await saying(3, 10));
    metrics.note(2, await saying(4, 20));
    await metrics.noteDeath(1);
    assert.match(await textOf(metrics), /^taps_total 7$/m);
    metrics.note(1, await saying(1, 5));
    await metrics.noteDeath(2);
    const text = await textOf(metrics);
    assert.match(text, /^taps_total 8$/m);
    assert.match(text, /^waiting_bytes 5$/m);
  });

  it('keep what each of several workers had counted that died together', async () => {
    const metrics = new MachineMetrics(() => 0);
    metrics.note(1, await saying(3, 10));
    metrics.note(2, await saying(4, 20));
    await Promise.all([metrics.noteDeath(1), metrics.noteDeath(2)]);
    assert.match(await textOf(metrics), /^taps_total 7$/m);
  });
});
