import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAX_IN_FLIGHT, Schedule, type ScheduledWebhook } from './schedule.ts';

const APP = 'app';
const FAST = { success: true, durationMs: 3, pauseMs: null };
const SLOW = { success: true, durationMs: 400, pauseMs: null };
const FAILED = { success: false, durationMs: 3, pauseMs: null };

/** Starts attempts until no webhook has a slot left; every webhook always has more to send. */
function fill(schedule: Schedule): ScheduledWebhook[] {
  const started: ScheduledWebhook[] = [];
  for (;;) {
    const grants = [...schedule.next('regular'), ...schedule.next('unproven')];
    if (grants.length === 0) return started;
    for (const { webhook, slots } of grants) {
      for (let i = 0; i < slots; i++) {
        schedule.started(webhook);
        started.push(webhook);
      }
      schedule.wake(webhook);
    }
  }
}

function wakeMany(schedule: Schedule, prefix: string, count: number): void {
  for (let i = 0; i < count; i++) schedule.wake(schedule.find(APP, `${prefix}${i}`));
}

describe('the schedule of webhooks', () => {
  it('starts a new receiver with 20 attempts in flight and adds one with each success, up to 64', () => {
    const schedule = new Schedule();
    schedule.wake(schedule.find(APP, 'w'));
    const first = fill(schedule);
    assert.equal(first.length, 20);
    let webhook = first[0] as ScheduledWebhook;
    for (let round = 0; round < 100; round++) {
      schedule.finished(webhook, SLOW);
      webhook = fill(schedule)[0] as ScheduledWebhook;
    }
    assert.equal(webhook.inFlight, 64);
  });

  it('gives a fast receiver up to 768, and 64 again once it slows down', () => {
    const schedule = new Schedule();
    schedule.wake(schedule.find(APP, 'w'));
    const webhook = fill(schedule)[0] as ScheduledWebhook;
    for (let round = 0; round < 800; round++) {
      schedule.finished(webhook, FAST);
      fill(schedule);
    }
    assert.equal(webhook.inFlight, 768);
    schedule.finished(webhook, SLOW);
    assert.equal(webhook.window, 64);
  });

  it('lets a failing receiver have 20 attempts in flight, so that retries of 20 messages start on time', () => {
    const schedule = new Schedule();
    schedule.wake(schedule.find(APP, 'w'));
    const hanging = fill(schedule);
    assert.equal(hanging.length, 20);
    for (const webhook of hanging) schedule.finished(webhook, FAILED);
    assert.equal(fill(schedule).length, 20);
  });

  it('starts at most 20 attempts to failing receivers in one batch, for several of them', () => {
    const schedule = new Schedule();
    wakeMany(schedule, 'dead', 10);
    for (const webhook of fill(schedule)) schedule.finished(webhook, FAILED);
    const slots = schedule.next('unproven').map((grant) => grant.slots);
    assert.deepEqual(slots, [5, 5, 5, 5]);
  });

  it('starts 2 attempts to a new receiver at once, further ones together with those to failing receivers', () => {
    const schedule = new Schedule();
    schedule.wake(schedule.find(APP, 'w'));
    const [first] = schedule.next('regular');
    assert.ok(first);
    assert.equal(first.slots, 2);
    for (let i = 0; i < 2; i++) schedule.started(first.webhook);
    schedule.wake(schedule.find(APP, 'w'));
    assert.deepEqual(schedule.next('regular'), []);
    assert.deepEqual(schedule.next('unproven'), [{ ...first, slots: 5 }]);
  });

  for (const state of ['new', 'failing'] as const)
    it(`keeps 50 ${state} receivers that hang within half of all slots`, () => {
      const schedule = new Schedule();
      wakeMany(schedule, 'dead', 50);
      const started = fill(schedule);
      if (state === 'failing') for (const webhook of started) schedule.finished(webhook, FAILED);
      const inFlight = state === 'failing' ? fill(schedule) : started;
      assert.equal(new Set(inFlight).size, 50);
      assert.ok(inFlight.length <= MAX_IN_FLIGHT / 2, `${inFlight.length} attempts`);
    });

  it('lets unproven receivers take slots of healthy ones for one attempt each only', () => {
    const schedule = new Schedule();
    schedule.wake(schedule.find(APP, 'healthy'));
    const healthy = fill(schedule)[0] as ScheduledWebhook;
    for (let i = 0; i < 2; i++) schedule.finished(healthy, SLOW);
    wakeMany(schedule, 'dead', 400);
    const started = fill(schedule);
    const dead = [...new Set(started)].filter((webhook) => webhook !== healthy);
    assert.equal(dead.length, 400);
    const further = dead.reduce((sum, { inFlight }) => sum + (inFlight > 1 ? inFlight : 0), 0);
    assert.ok(further <= MAX_IN_FLIGHT / 2, `${further} attempts to receivers that have several`);
    assert.deepEqual([healthy.inFlight, healthy.window], [22, 22]);
  });

  it('lets each of 3,000 receivers send one, however many attempts are in flight', () => {
    const schedule = new Schedule();
    wakeMany(schedule, 'dead', 3_000);
    const served = new Set(fill(schedule).map(({ webhookId }) => webhookId));
    assert.equal(served.size, 3_000);
  });

  it('serves webhooks in order of arrival, so that busy ones do not delay a new one', () => {
    const schedule = new Schedule();
    wakeMany(schedule, 'busy', 40);
    schedule.next('regular');
    schedule.wake(schedule.find(APP, 'new'));
    wakeMany(schedule, 'busy', 4);
    const order: string[] = [];
    for (;;) {
      const grants = schedule.next('regular');
      if (grants.length === 0) break;
      order.push(...grants.map(({ webhook }) => webhook.webhookId));
    }
    assert.ok(order.indexOf('new') < order.indexOf('busy0'));
  });
});

describe('the line of a receiver', () => {
  it('lets each of 40 webhooks go on in turn, one at a time', () => {
    const schedule = new Schedule();
    const names = Array.from({ length: 40 }, (_, nth) => `w${nth}`);
    for (const name of names) schedule.wait(schedule.find(APP, name), 'chat', { untilMs: 20, nowMs: 0 });
    const went: string[] = [];
    for (let nowMs = 20; went.length < 80; nowMs += 20) {
      // Each hold had a timer; all but the first find that someone goes on.
      for (let timer = 0; timer < 3; timer++) schedule.turn('chat', nowMs);
      const [grant, ...others] = schedule.next('regular');
      assert.ok(grant);
      assert.deepEqual(others, []);
      went.push(grant.webhook.webhookId);
      schedule.wait(grant.webhook, 'chat', { untilMs: nowMs + 20, nowMs });
    }
    assert.deepEqual(went, [...names, ...names]);
  });

  it('holds its webhooks until the time, and no others', () => {
    const schedule = new Schedule();
    const [held, free] = [schedule.find(APP, 'held'), schedule.find(APP, 'free')];
    assert.equal(schedule.wait(held, 'chat', { untilMs: 3_000, nowMs: 1_000 }), 3_000);
    assert.deepEqual([schedule.isHeld(held, 2_999), schedule.isHeld(free, 2_999)], [true, false]);
    schedule.turn('chat', 2_999);
    assert.deepEqual(schedule.next('regular'), []);
    assert.equal(schedule.isHeld(held, 3_000), false);
    schedule.turn('chat', 3_000);
    assert.equal(schedule.next('regular')[0]?.webhook, held);
  });

  it('asks again after ten seconds, since the webhook may have another address by then', () => {
    const schedule = new Schedule();
    const webhook = schedule.find(APP, 'w');
    assert.equal(schedule.wait(webhook, 'chat', { untilMs: 3_600_000, nowMs: 0 }), 10_000);
    assert.deepEqual([schedule.isHeld(webhook, 9_999), schedule.isHeld(webhook, 10_000)], [true, false]);
  });

  it('goes on when its pause is ended, but not by the end of an earlier pause', () => {
    const schedule = new Schedule();
    schedule.wait(schedule.find(APP, 'w'), 'chat', { untilMs: 9_000, nowMs: 2_000 });
    assert.deepEqual(schedule.heldReceivers(10, 3_000), ['chat']);
    schedule.endPause('chat', 1_999);
    assert.deepEqual(schedule.next('regular'), []);
    schedule.endPause('chat', 2_000);
    assert.equal(schedule.next('regular').length, 1);
    assert.deepEqual(schedule.heldReceivers(10, 3_000), []);
  });
});
