import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Endpoint, EndpointScheduler, MAX_IN_FLIGHT } from './endpoint-scheduler.ts';

const APP = 'app';
const FAST = { success: true, durationMs: 3, pauseMs: null };
const SLOW = { success: true, durationMs: 400, pauseMs: null };
const FAILED = { success: false, durationMs: 3, pauseMs: null };

/** Starts attempts until no endpoint has a slot left; every endpoint always has more to send. */
function fill(scheduler: EndpointScheduler): Endpoint[] {
  const started: Endpoint[] = [];
  for (;;) {
    const grants = [...scheduler.next('regular'), ...scheduler.next('unproven')];
    if (grants.length === 0) return started;
    for (const { endpoint, slots } of grants) {
      for (let i = 0; i < slots; i++) {
        scheduler.started(endpoint);
        started.push(endpoint);
      }
      scheduler.wake(endpoint.appId, endpoint.webhookId);
    }
  }
}

function wakeMany(scheduler: EndpointScheduler, prefix: string, count: number): void {
  for (let i = 0; i < count; i++) scheduler.wake(APP, `${prefix}${i}`);
}

describe('the endpoint scheduler', () => {
  it('starts a new receiver with 20 attempts in flight and adds one with each success, up to 64', () => {
    const scheduler = new EndpointScheduler();
    scheduler.wake(APP, 'w');
    const first = fill(scheduler);
    assert.equal(first.length, 20);
    let endpoint = first[0] as Endpoint;
    for (let round = 0; round < 100; round++) {
      scheduler.finished(endpoint, SLOW);
      endpoint = fill(scheduler)[0] as Endpoint;
    }
    assert.equal(endpoint.inFlight, 64);
  });

  it('gives a fast receiver up to 768, and 64 again once it slows down', () => {
    const scheduler = new EndpointScheduler();
    scheduler.wake(APP, 'w');
    const endpoint = fill(scheduler)[0] as Endpoint;
    for (let round = 0; round < 800; round++) {
      scheduler.finished(endpoint, FAST);
      fill(scheduler);
    }
    assert.equal(endpoint.inFlight, 768);
    scheduler.finished(endpoint, SLOW);
    assert.equal(endpoint.window, 64);
  });

  it('lets a failing receiver have 20 attempts in flight, so that retries of 20 deliveries start on time', () => {
    const scheduler = new EndpointScheduler();
    scheduler.wake(APP, 'w');
    const hanging = fill(scheduler);
    assert.equal(hanging.length, 20);
    for (const endpoint of hanging) scheduler.finished(endpoint, FAILED);
    assert.equal(fill(scheduler).length, 20);
  });

  it('starts at most 20 attempts to failing receivers in one batch, for several of them', () => {
    const scheduler = new EndpointScheduler();
    wakeMany(scheduler, 'dead', 10);
    for (const endpoint of fill(scheduler)) scheduler.finished(endpoint, FAILED);
    const slots = scheduler.next('unproven').map((grant) => grant.slots);
    assert.deepEqual(slots, [5, 5, 5, 5]);
  });

  it('starts 2 attempts to a new receiver at once, further ones together with those to failing receivers', () => {
    const scheduler = new EndpointScheduler();
    scheduler.wake(APP, 'w');
    const [first] = scheduler.next('regular');
    assert.ok(first);
    assert.equal(first.slots, 2);
    for (let i = 0; i < 2; i++) scheduler.started(first.endpoint);
    scheduler.wake(APP, 'w');
    assert.deepEqual(scheduler.next('regular'), []);
    assert.deepEqual(scheduler.next('unproven'), [{ ...first, slots: 5 }]);
  });

  for (const state of ['new', 'failing'] as const)
    it(`keeps 50 ${state} receivers that hang within half of all slots`, () => {
      const scheduler = new EndpointScheduler();
      wakeMany(scheduler, 'dead', 50);
      const started = fill(scheduler);
      if (state === 'failing') for (const endpoint of started) scheduler.finished(endpoint, FAILED);
      const inFlight = state === 'failing' ? fill(scheduler) : started;
      assert.equal(new Set(inFlight).size, 50);
      assert.ok(inFlight.length <= MAX_IN_FLIGHT / 2, `${inFlight.length} attempts`);
    });

  it('lets unproven receivers take slots of healthy ones for one attempt each only', () => {
    const scheduler = new EndpointScheduler();
    scheduler.wake(APP, 'healthy');
    const healthy = fill(scheduler)[0] as Endpoint;
    for (let i = 0; i < 2; i++) scheduler.finished(healthy, SLOW);
    wakeMany(scheduler, 'dead', 400);
    const started = fill(scheduler);
    const dead = [...new Set(started)].filter((endpoint) => endpoint !== healthy);
    assert.equal(dead.length, 400);
    const further = dead.reduce((sum, { inFlight }) => sum + (inFlight > 1 ? inFlight : 0), 0);
    assert.ok(further <= MAX_IN_FLIGHT / 2, `${further} attempts to receivers that have several`);
    assert.deepEqual([healthy.inFlight, healthy.window], [22, 22]);
  });

  it('lets each of 3,000 receivers send one, however many attempts are in flight', () => {
    const scheduler = new EndpointScheduler();
    wakeMany(scheduler, 'dead', 3_000);
    const served = new Set(fill(scheduler).map(({ webhookId }) => webhookId));
    assert.equal(served.size, 3_000);
  });

  it('serves endpoints in order of arrival, so that busy ones do not delay a new one', () => {
    const scheduler = new EndpointScheduler();
    wakeMany(scheduler, 'busy', 40);
    scheduler.next('regular');
    scheduler.wake(APP, 'new');
    wakeMany(scheduler, 'busy', 4);
    const order: string[] = [];
    for (;;) {
      const grants = scheduler.next('regular');
      if (grants.length === 0) break;
      order.push(...grants.map(({ endpoint }) => endpoint.webhookId));
    }
    assert.ok(order.indexOf('new') < order.indexOf('busy0'));
  });
});
