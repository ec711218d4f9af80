import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Lane, Lanes, MAX_UNDER_WAY } from './lanes.ts';

const APP = 'app';
const QUICK = { success: true, durationMs: 3 };
const SLOW = { success: true, durationMs: 400 };
const FAILED = { success: false, durationMs: 3 };

/** Sends all that the lanes allow, as long as they allow any; everybody always has more to send. */
function fill(lanes: Lanes): Lane[] {
  const began: Lane[] = [];
  for (;;) {
    const asked = [...lanes.next('others'), ...lanes.next('failing')];
    if (asked.length === 0) return began;
    for (const { lane, places } of asked) {
      for (let i = 0; i < places; i++) {
        lanes.began(lane);
        began.push(lane);
      }
      lanes.wake(lane.appId, lane.webhookId);
    }
  }
}

function wakeMany(lanes: Lanes, prefix: string, count: number): void {
  for (let i = 0; i < count; i++) lanes.wake(APP, `${prefix}${i}`);
}

describe('lanes', () => {
  it('a new receiver gets a few at once, one that answers well more with each answer, up to 64', () => {
    const lanes = new Lanes();
    lanes.wake(APP, 'w');
    const first = fill(lanes);
    assert.equal(first.length, 2);
    let lane = first[0] as Lane;
    for (let round = 0; round < 100; round++) {
      lanes.ended(lane, SLOW);
      lane = fill(lanes)[0] as Lane;
    }
    assert.equal(lane.underWay, 64);
  });

  it('a receiver that answers at once gets up to 768, and again 64 when it slows down', () => {
    const lanes = new Lanes();
    lanes.wake(APP, 'w');
    const lane = fill(lanes)[0] as Lane;
    for (let round = 0; round < 800; round++) {
      lanes.ended(lane, QUICK);
      fill(lanes);
    }
    assert.equal(lane.underWay, 768);
    lanes.ended(lane, SLOW);
    assert.equal(lane.window, 64);
  });

  it('a receiver that fails is tried with one at a time', () => {
    const lanes = new Lanes();
    lanes.wake(APP, 'w');
    const [lane] = fill(lanes);
    assert.ok(lane);
    for (let i = 0; i < 2; i++) lanes.ended(lane, FAILED);
    assert.equal(fill(lanes).length, 1);
  });

  it('receivers that never answered share half of all places, each beyond that has one at most, and those that work have the rest', () => {
    const lanes = new Lanes();
    lanes.wake(APP, 'healthy');
    const healthy = fill(lanes)[0] as Lane;
    for (let i = 0; i < 2; i++) lanes.ended(healthy, SLOW);
    const before = healthy.underWay;
    wakeMany(lanes, 'dead', 400);
    const began = fill(lanes);
    const dead = began.filter(({ webhookId }) => webhookId.startsWith('dead')).length;
    // 256 lanes fill half of the places by two each; beyond that, each of the others may send one.
    assert.equal(dead, MAX_UNDER_WAY / 2 + 144);
    assert.equal(healthy.underWay - before, healthy.window);
  });

  it('nobody waits for ever: each lane may send one, however many others are under way', () => {
    const lanes = new Lanes();
    wakeMany(lanes, 'dead', 3_000);
    const served = new Set(fill(lanes).map(({ webhookId }) => webhookId));
    assert.equal(served.size, 3_000);
  });

  it('lanes are served in the order in which they came, so that busy ones do not keep a new one waiting', () => {
    const lanes = new Lanes();
    wakeMany(lanes, 'busy', 40);
    lanes.next('others');
    lanes.wake(APP, 'new');
    wakeMany(lanes, 'busy', 4);
    const order: string[] = [];
    for (;;) {
      const asked = lanes.next('others');
      if (asked.length === 0) break;
      order.push(...asked.map(({ lane }) => lane.webhookId));
    }
    assert.ok(order.indexOf('new') < order.indexOf('busy0'));
  });
});
