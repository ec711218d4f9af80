import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { Phone } from './phone.ts';

/** Of the processor time that the plainest program takes to write the same events. */
const MAX_RATIO = 5;

/** Milliseconds of processor time. */
function timeOf(act: () => void): number {
  const before = process.cpuUsage().user;
  act();
  return (process.cpuUsage().user - before) / 1_000;
}

function writeEvents(): void {
  const texts: string[] = [];
  for (let n = 0; n < 10_000; n++)
    texts.push(
      JSON.stringify({
        ...{ eventId: randomUUID(), eventName: 'viewed', occurredAt: new Date().toISOString() },
        properties: { n, screen: 'shoes', price: '19.99' },
      }),
    );
}

describe('ten thousand calls', () => {
  it('of track take at most five times what writing the events takes, and lose no event', async (t) => {
    // The least of some tries: a busy machine slows all down.
    let [least, leastPlain] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    let phone = new Phone();
    for (let round = 0; round < 4; round++) {
      phone = new Phone();
      phone.fateOf = () => 'lost';
      const client = phone.launch();
      await client.start();
      leastPlain = Math.min(leastPlain, timeOf(writeEvents));
      const track = () => {
        for (let n = 0; n < 10_000; n++) client.track('viewed', { n, screen: 'shoes', price: '19.99' });
      };
      least = Math.min(least, timeOf(track));
      const { queuedEvents, droppedEvents } = await client.explain();
      assert.deepEqual({ queuedEvents, droppedEvents }, { queuedEvents: 10_000, droppedEvents: 0 });
    }
    t.diagnostic(`${least} ms, ${leastPlain} ms plain`);
    assert.ok(least < MAX_RATIO * leastPlain, `${least} ms, and ${leastPlain} ms plain`);
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
