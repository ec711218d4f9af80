import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../lib/clock.ts';
import { type Endpoint, EndpointScheduler } from './endpoint-scheduler.ts';
import { ReceiverLines } from './receiver-lines.ts';

const INTERVAL_MS = 20;

describe('the line of a receiver', () => {
  it('lets each of 40 endpoints go on in turn, one at a time', async () => {
    const scheduler = new EndpointScheduler();
    const went: string[] = [];
    const lines: ReceiverLines = new ReceiverLines({
      clock: systemClock,
      goOn: (endpoint) => {
        went.push(endpoint.webhookId);
        lines.wait('chat', endpoint, systemClock.nowMs() + INTERVAL_MS);
      },
    });
    const endpoints = Array.from({ length: 40 }, (_, nth) => scheduler.endpointOf('app', `w${nth}`));
    const startMs = systemClock.nowMs();
    for (const endpoint of endpoints) lines.wait('chat', endpoint, startMs + INTERVAL_MS);
    while (went.length < 80) await sleep(INTERVAL_MS);
    lines.stop();
    const names = endpoints.map(({ webhookId }) => webhookId);
    assert.deepEqual(went.slice(0, 80), [...names, ...names]);
    assert.ok(systemClock.nowMs() - startMs >= 80 * INTERVAL_MS);
  });

  it('holds its endpoints until the time, and no others', () => {
    let nowMs = 1_000;
    const lines = new ReceiverLines({ clock: { nowMs: () => nowMs }, goOn: () => undefined });
    const scheduler = new EndpointScheduler();
    const [held, free] = ['held', 'free'].map((id) => scheduler.endpointOf('app', id)) as [
      Endpoint,
      Endpoint,
    ];
    lines.wait('chat', held, 3_000);
    assert.deepEqual([lines.isHeld(held), lines.isHeld(free)], [true, false]);
    nowMs = 3_000;
    assert.equal(lines.isHeld(held), false);
    lines.stop();
  });

  it('asks again after ten seconds, since the webhook may have another address by then', () => {
    let nowMs = 0;
    const lines = new ReceiverLines({ clock: { nowMs: () => nowMs }, goOn: () => undefined });
    const endpoint = new EndpointScheduler().endpointOf('app', 'w');
    lines.wait('chat', endpoint, 3_600_000);
    nowMs = 9_999;
    assert.equal(lines.isHeld(endpoint), true);
    nowMs = 10_000;
    assert.equal(lines.isHeld(endpoint), false);
    lines.stop();
  });
});
