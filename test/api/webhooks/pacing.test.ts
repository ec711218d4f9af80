/** Receivers get no more than they take: chats by their platform's pace, others as their `Retry-After` asks. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { endPause, receiverOf } from '../../../src/webhooks/attempts/receiver.ts';
import { engines } from '../../helpers/engines.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { type Answer, RECEIVER_ENV, useReceiver } from '../../helpers/webhook-receiver.ts';
import { type Behaviour, useReceiverProcess } from '../../helpers/webhook-receiver-process.ts';
import { storedAttempts, waitingFor } from '../../helpers/webhook-scene.ts';
import { deliveriesOf, newWebhook, passAttempts } from '../../helpers/webhooks.ts';
import { freshAddress, type TestApp, useWorld } from '../../helpers/world.ts';

const pausing =
  (seconds: number, status = 429): Answer =>
  () => ({ status, headers: { 'retry-after': String(seconds) } });

for (const engine of engines)
  describe(`the pace of webhook receivers on ${engine}`, () => {
    const world = useWorld(engine, RECEIVER_ENV);
    const receiver = useReceiver();

    // Paces and pauses pass when the test moves the clock.
    before(() => {
      world.clock.isStill = true;
    });

    async function hook(app: TestApp, fields: object, answer: Answer = () => 200) {
      const at = receiver.newHook(answer);
      const { id } = await newWebhook(world, app, { url: at.url, events: ['install.organic'], ...fields });
      return { id, at };
    }

    async function install(app: TestApp, count: number) {
      for (let nth = 0; nth < count; nth++) await world.install(app, {}, { from: freshAddress() });
    }

    /** Takes a request if some time has passed since the last one that it took, by the clock of the test. */
    function limited(everyMs: number): { answer: Answer; refused: () => number } {
      let [takenAtMs, refused] = [0, 0];
      const answer = () => {
        const nowMs = world.clock.nowMs();
        if (nowMs - takenAtMs < everyMs) {
          refused += 1;
          return { status: 429, headers: { 'retry-after': '1' } };
        }
        takenAtMs = nowMs;
        return 200;
      };
      return { answer, refused: () => refused };
    }

    const healthOf = async (app: TestApp, id: string) => {
      const { body } = await world.call('GET', '/v1/webhooks', { key: app.keys.live });
      return body.find((webhook: { id: string }) => webhook.id === id).health;
    };
    const paused = (app: TestApp, id: string) =>
      waitFor('the pause', async () => (await healthOf(app, id)).pausedUntil ?? undefined, { everyMs: 10 });
    /** Nothing waits before the time has moved. */
    const allSent = (...ids: string[]) =>
      waitFor(
        'what waits',
        async () => {
          const waiting = await Promise.all(ids.map((id) => waitingFor(world.place, id)));
          return waiting.every((count) => count === 0) ? true : undefined;
        },
        { everyMs: 10 },
      );

    const chats = { slack: 1_000, teams: 250, discord: 2_000 };
    for (const [template, everyMs] of Object.entries(chats))
      it(`a burst to ${template}, which takes a message in ${everyMs} ms, arrives whole, and nothing is attempted too early`, async () => {
        const app = await world.newApp();
        const { answer, refused } = limited(everyMs);
        const { id, at } = await hook(app, { template }, answer);
        const startMs = world.clock.nowMs();
        await install(app, 8);
        await passAttempts(world, [id]);
        assert.deepEqual([at.received.length, refused()], [8, 0]);
        assert.ok(world.clock.nowMs() - startMs >= 7 * everyMs);
      });

    it('webhooks that write to one chat share its pace and take turns', async () => {
      const [one, two] = [await world.newApp(), await world.newApp()];
      const { answer, refused } = limited(1_000);
      const { id, at } = await hook(one, { template: 'slack' }, answer);
      const same = { url: at.url, template: 'slack', events: ['install.organic'] };
      const { id: second } = await newWebhook(world, one, same);
      const { id: other } = await newWebhook(world, two, { ...same, url: `${at.url}#team` });
      const ids = [id, second, other];
      await install(one, 3);
      await install(two, 3);
      const isServed = async () => (await storedAttempts(world.place, other)).length >= 2;
      await passAttempts(world, ids, { until: isServed });
      assert.ok(
        at.received.length <= 8,
        `${at.received.length} of 9 messages came before two of the other app`,
      );
      await passAttempts(world, ids);
      assert.deepEqual([at.received.length, refused()], [9, 0]);
    });

    for (const status of [429, 503])
      it(`${status} with Retry-After is recorded and uses up no attempt; the queue waits`, async () => {
        const app = await world.newApp();
        const timesMs: number[] = [];
        const { id } = await hook(app, {}, (nth) => {
          timesMs.push(world.clock.nowMs());
          return nth === 1 ? pausing(2, status)(nth) : 200;
        });
        await install(app, 1);
        await paused(app, id);
        await install(app, 2);
        await passAttempts(world, [id]);
        const waitedMs = (timesMs[1] ?? 0) - (timesMs[0] ?? 0);
        assert.ok(waitedMs >= 2_000, `waited ${waitedMs} ms`);
        const records = (await deliveriesOf(world, app, id)).reverse();
        assert.deepEqual(
          records.map((record) => [record.http_status, record.attempt_number, record.success]),
          [[status, 1, false], ...Array.from({ length: 3 }, () => [200, 1, true])],
        );
        assert.match(String(records[0]?.error_message), /asked to wait 2 s/);
      });

    it('a signed receiver that takes one a second gets all of a burst, none of which is given up', async () => {
      const app = await world.newApp();
      const { answer, refused } = limited(1_000);
      const { id, at } = await hook(app, {}, answer);
      await install(app, 8);
      await passAttempts(world, [id]);
      assert.equal(at.received.length - refused(), 8);
      assert.equal((await healthOf(app, id)).failed24h, 0);
    });

    for (const status of [429, 503])
      it(`Retry-After of a ${status} whose body is cut off counts: no attempt is used up, and the queue waits`, async () => {
        const app = await world.newApp();
        const headers = { 'retry-after': '3600' };
        const { id } = await hook(app, {}, () => ({ status, headers, isCutOff: true }));
        await install(app, 1);
        await paused(app, id);
        const attempts = await storedAttempts(world.place, id);
        assert.deepEqual(
          attempts.map((each) => [each.http_status, each.attempt_number]),
          [[status, 1]],
        );
        assert.match(String(attempts[0]?.error_message), /asked to wait 3600 s/);
      });

    it('429 without Retry-After, or with one that makes no sense, is a failed attempt', async () => {
      const app = await world.newApp();
      const { id } = await hook(app, {}, (nth) => (nth === 1 ? 429 : pausing(-5)(nth)));
      await install(app, 1);
      await passAttempts(world, [id]);
      const numbers = (await storedAttempts(world.place, id)).map((each) => each.attempt_number);
      assert.deepEqual(numbers, [1, 2, 3]);
    });

    it('a test of a chat that asks to wait fails, and holds its queue', async () => {
      const app = await world.newApp();
      const { id, at } = await hook(app, { template: 'slack' }, pausing(60));
      const { status, text } = await world.call('POST', `/v1/webhooks/${id}/test`, { key: app.keys.live });
      assert.equal(status, 502);
      assert.match(text, /asked to wait 60 s/);
      await install(app, 1);
      assert.ok((await healthOf(app, id)).pausedUntil);
      assert.equal(at.received.length, 1);
    });

    const endings = {
      'a successful test': (key: string, id: string) =>
        world.call('POST', `/v1/webhooks/${id}/test`, { key }),
      'another process': async (_key: string, id: string) => {
        const webhook = await world.service.db
          .selectFrom('webhooks')
          .selectAll()
          .where('id', '=', id)
          .executeTakeFirstOrThrow();
        await endPause(world.service.db, world.service, receiverOf(webhook));
      },
    };
    for (const [by, end] of Object.entries(endings))
      it(`a pause that is ended by ${by} lets what waits go on at once, also of another webhook`, async () => {
        const app = await world.newApp();
        const { id, at } = await hook(app, {}, pausing(3_600));
        const other = await newWebhook(world, app, { url: at.url, events: ['install.organic'] });
        await install(app, 1);
        await waitFor(
          'both to ask for the pause',
          async () => {
            const asked = [
              await storedAttempts(world.place, id),
              await storedAttempts(world.place, other.id),
            ];
            return asked.every(({ length }) => length === 1) ? true : undefined;
          },
          { everyMs: 10 },
        );
        await install(app, 2);
        at.answer = () => 200;
        await end(app.keys.live, id);
        // The clock stands still: nothing but the end of the pause lets them go on.
        await allSent(id, other.id);
        assert.equal((await healthOf(app, id)).pausedUntil, null);
      });

    it('a pause ends for a webhook that is enabled again, and not by a change that leaves it enabled', async () => {
      const app = await world.newApp();
      const { id, at } = await hook(app, {}, (nth) => (nth === 1 ? pausing(3_600)(nth) : 200));
      const set = (enabled: boolean) =>
        world.call('PATCH', `/v1/webhooks/${id}`, { key: app.keys.live, body: { enabled } });
      await install(app, 1);
      await paused(app, id);
      await set(true);
      assert.ok((await healthOf(app, id)).pausedUntil);
      await set(false);
      await set(true);
      assert.equal((await healthOf(app, id)).pausedUntil, null);
      await install(app, 1);
      await allSent(id);
      assert.equal(at.received.length, 2);
    });

    it('a pause ends for a webhook that gets another address', async () => {
      const app = await world.newApp();
      const { id } = await hook(app, {}, pausing(3_600));
      await install(app, 1);
      await paused(app, id);
      const next = receiver.newHook();
      await world.call('PATCH', `/v1/webhooks/${id}`, { key: app.keys.live, body: { url: next.url } });
      await next.arrived(1);
      assert.equal((await healthOf(app, id)).pausedUntil, null);
    });
  });

const PAUSING_AN_HOUR: Behaviour = { kind: 'answer', status: 429, headers: { 'retry-after': '3600' } };

for (const engine of engines)
  describe(`pauses of webhook receivers on ${engine}`, () => {
    const world = useWorld(engine, RECEIVER_ENV);
    const receivers = useReceiverProcess();

    it('a receiver that answers 429 for ever gets 20 more attempts than the three, then the message is given up', async () => {
      const app = await world.newApp();
      const path = `/${randomUUID()}`;
      await receivers.get.behave(path, { ...PAUSING_AN_HOUR, headers: { 'retry-after': '1800' } });
      const fields = { url: receivers.get.url(path), events: ['install.organic'] };
      const { id } = await newWebhook(world, app, fields);
      await world.install(app);
      await passAttempts(world, [id]);
      const attempts = await storedAttempts(world.place, id);
      assert.deepEqual(
        attempts.map(({ attempt_number: number }) => number),
        [...Array.from({ length: 21 }, () => 1), 2, 3],
      );
      const { body } = await world.call('GET', '/v1/audit-log', { key: app.keys.live });
      assert.equal(body[0].action, 'webhook.delivery_failed');
      assert.equal(body[0].details.attempts, 3);
    });

    it('a webhook with extended retries makes twelve attempts, one with standard three', async () => {
      const app = await world.newApp();
      const make = async (retries: string) => {
        const path = `/${randomUUID()}`;
        await receivers.get.behave(path, { kind: 'answer', status: 500 });
        const fields = { url: receivers.get.url(path), events: ['install.organic'], retries };
        return (await newWebhook(world, app, fields)).id;
      };
      const [extended, standard] = [await make('extended'), await make('standard')];
      await world.install(app);
      await passAttempts(world, [extended, standard]);
      const numbersOf = async (id: string) =>
        (await storedAttempts(world.place, id)).map((attempt) => attempt.attempt_number);
      assert.deepEqual(await numbersOf(standard), [1, 2, 3]);
      assert.deepEqual(
        await numbersOf(extended),
        Array.from({ length: 12 }, (_, nth) => nth + 1),
      );
    });

    // Last, since its receivers hang.
    it('pauses of an hour, resets and silence of 60 receivers delay no other', async () => {
      const app = await world.newApp();
      const make = async (path: string, ...steps: Behaviour[]) => {
        if (steps.length > 0) await receivers.get.behave(path, ...steps);
        const fields = { url: receivers.get.url(path), events: ['event.recorded'] };
        return (await newWebhook(world, app, fields)).id;
      };
      const paused: string[] = [];
      for (let nth = 0; nth < 20; nth++) {
        paused.push(await make(`/${randomUUID()}`, PAUSING_AN_HOUR));
        await make(`/${randomUUID()}`, { kind: 'reset' });
        await make(`/${randomUUID()}`, { kind: 'silent' });
      }
      const path = `/${randomUUID()}`;
      await make(path);
      const { installId } = (await world.install(app)).body;
      const key = app.keys.live_publishable;
      const record = (eventName: string) =>
        world.call('POST', '/v1/sdk/event', { key, from: freshAddress(), body: { installId, eventName } });
      for (let nth = 0; nth < 10; nth++) await record('level');
      await waitFor('the ten', async () =>
        (await receivers.get.received(path)).length >= 10 ? true : undefined,
      );
      const delays: number[] = [];
      for (let nth = 10; nth < 30; nth++) {
        const sentMs = Date.now();
        await record('level');
        const all = await waitFor(
          'the event',
          async () => {
            const received = await receivers.get.received(path);
            return received.length > nth ? received : undefined;
          },
          { everyMs: 5 },
        );
        delays.push((all[nth]?.atMs ?? 0) - sentMs);
        await sleep(20);
      }
      delays.sort((a, b) => a - b);
      assert.ok((delays[10] ?? 0) < 500, `median ${delays[10]} ms`);
      for (const id of paused) {
        const { length } = await storedAttempts(world.place, id);
        // Those in flight before the first answer.
        assert.ok(length <= 20, `${length} attempts to a receiver that asked to wait an hour`);
      }
    });
  });
