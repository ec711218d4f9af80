import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { Phone } from './phone.ts';

/** Turns of the event loop that took longer than this block a thread. */
const BLOCKED_MS = 100;

describe('ten thousand calls', () => {
  it('of track block the thread for less than 100 ms in all, and lose no event', async () => {
    // The least of some tries: a busy machine slows all down.
    let leastMs = Number.POSITIVE_INFINITY;
    let phone = new Phone();
    for (let round = 0; round < 4 && leastMs >= BLOCKED_MS; round++) {
      phone = new Phone();
      phone.fateOf = () => 'lost';
      const client = phone.launch();
      await client.start();
      const before = process.cpuUsage().user;
      for (let n = 0; n < 10_000; n++) client.track('viewed', { n, screen: 'shoes', price: '19.99' });
      leastMs = Math.min(leastMs, (process.cpuUsage().user - before) / 1_000);
      const { queuedEvents, droppedEvents } = await client.explain();
      assert.deepEqual({ queuedEvents, droppedEvents }, { queuedEvents: 10_000, droppedEvents: 0 });
    }
    assert.ok(leastMs < BLOCKED_MS, `blocked for ${leastMs} ms`);
    await wait(50);
    const stored = [...phone.stored].filter(([key]) => key.includes('events')).map(([, text]) => text);
    assert.equal(stored.flatMap((text) => JSON.parse(text)).length, 10_000, 'on the storage too');
  });

  it('that make others go, or are mistakes, are a line of the log each', async () => {
    const phone = new Phone();
    phone.fateOf = () => 'lost';
    const client = phone.launch();
    await client.start();
    for (let n = 0; n < 19_000; n++) client.track(`event ${n}`);
    for (let n = 0; n < 10_000; n++) client.track(`event ${n}`, {}, { amount: '1', currency: 'eur' });
    const { queuedEvents, droppedEvents } = await client.explain();
    assert.deepEqual({ queuedEvents, droppedEvents }, { queuedEvents: 10_000, droppedEvents: 9_000 });
    const messages = phone.log.map(({ message }) => message);
    assert.equal(messages.filter((message) => message.includes('dropped')).length, 1);
    assert.equal(messages.filter((message) => message.includes('currency')).length, 1);
  });
});
