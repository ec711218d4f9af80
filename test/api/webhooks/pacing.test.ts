/** Receivers get no more than they take: chats by their platform's pace, others as their `Retry-After` asks. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { HOUR_MS, MINUTE_MS } from '../../../src/lib/clock.ts';
import { receiverOf } from '../../../src/webhooks/delivery/receiver.ts';
import { endPause } from '../../../src/webhooks/delivery/receiver-queries.ts';
import { engines } from '../../helpers/engines.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { RECEIVER_ENV } from '../../helpers/webhook-receiver.ts';
import { type Behaviour, useReceiverProcess } from '../../helpers/webhook-receiver-process.ts';
import { storedAttempts, waitingFor } from '../../helpers/webhook-scene.ts';
import { deliveriesOf, newWebhook } from '../../helpers/webhooks.ts';
import { freshAddress, type TestApp, useWorld } from '../../helpers/world.ts';

const LIMITED: Behaviour = { kind: 'limited', everyMs: 1_000 };
const pausing = (seconds: number, status = 429): Behaviour => ({
  kind: 'answer',
  status,
  headers: { 'retry-after': String(seconds) },
});

for (const engine of engines)
  describe(`the pace of webhook receivers on ${engine}`, { concurrency: true }, () => {
    const world = useWorld(engine, RECEIVER_ENV);
    const receivers = useReceiverProcess();

    async function hook(app: TestApp, fields: object, ...steps: Behaviour[]) {
      const path = `/${randomUUID()}`;
      if (steps.length > 0) await receivers.get.behave(path, ...steps);
      const url = receivers.get.url(path);
      const { id } = await newWebhook(world, app, { url, events: ['install.organic'], ...fields });
      const received = () => receivers.get.received(path);
      return { id, path, url, received };
    }

    async function install(app: TestApp, count: number) {
      for (let nth = 0; nth < count; nth++) await world.install(app, {}, { from: freshAddress() });
    }

    const allArrive = (
      received: () => Promise<readonly { status: number; webhookId: string }[]>,
      count: number,
    ) =>
      waitFor(
        `${count} messages to arrive`,
        async () => {
          const taken = (await received()).filter(({ status }) => status === 200);
          return new Set(taken.map(({ webhookId }) => webhookId)).size >= count ? taken : undefined;
        },
        { withinMs: 60_000 },
      );

    const healthOf = async (app: TestApp, id: string) => {
      const { body } = await world.call('GET', '/v1/webhooks', { key: app.keys.live });
      return body.find((webhook: { id: string }) => webhook.id === id).health;
    };

    it('a burst to a chat that takes one message a second arrives whole, and nothing is attempted too early', async () => {
      const app = await world.newApp();
      const chat = await hook(app, { template: 'slack' }, LIMITED);
      await install(app, 8);
      await allArrive(chat.received, 8);
      assert.equal((await chat.received()).length, 8, 'an attempt was refused');
    });

    it('webhooks that write to one chat share its pace and take turns', async () => {
      const [one, two] = [await world.newApp(), await world.newApp()];
      const chat = await hook(one, { template: 'slack' }, LIMITED);
      const same = { url: chat.url, template: 'slack', events: ['install.organic'] };
      await newWebhook(world, one, same);
      const other = await newWebhook(world, two, { ...same, url: `${chat.url}#team` });
      await install(one, 3);
      await install(two, 3);
      await waitFor('the other app to be served', async () =>
        (await storedAttempts(world.place, other.id)).length >= 2 ? true : undefined,
      );
      const arrived = (await chat.received()).length;
      assert.ok(arrived <= 8, `${arrived} of 9 messages came before two of the other app`);
      await allArrive(chat.received, 6);
      assert.ok((await chat.received()).every(({ status }) => status === 200));
    });

    it('Teams gets four a second, Discord one in two seconds', async () => {
      const app = await world.newApp();
      const teams = await hook(app, { template: 'teams' }, { kind: 'limited', everyMs: 250 });
      const discord = await hook(app, { template: 'discord' }, { kind: 'limited', everyMs: 2_000 });
      await install(app, 3);
      for (const { received } of [teams, discord]) {
        await allArrive(received, 3);
        assert.equal((await received()).length, 3);
      }
    });

    for (const status of [429, 503])
      it(`${status} with Retry-After is recorded and uses up no attempt; the queue waits`, async () => {
        const app = await world.newApp();
        const target = await hook(app, {}, pausing(2, status), { kind: 'answer', status: 200 });
        await install(app, 1);
        await waitFor('the pause', async () => (await healthOf(app, target.id)).pausedUntil ?? undefined);
        await install(app, 2);
        await allArrive(target.received, 3);
        const [first, second] = await target.received();
        const waitedMs = (second?.atMs ?? 0) - (first?.atMs ?? 0);
        assert.ok(waitedMs >= 2_000, `waited ${waitedMs} ms`);
        const records = await waitFor('all records', async () => {
          const all = await deliveriesOf(world, app, target.id);
          return all.length === 4 ? all.reverse() : undefined;
        });
        assert.deepEqual(
          records.map((record) => [record.http_status, record.attempt_number, record.success]),
          [[status, 1, false], ...Array.from({ length: 3 }, () => [200, 1, true])],
        );
        assert.match(String(records[0]?.error_message), /asked to wait 2 s/);
      });

    it('a signed receiver that takes one a second gets all of a burst, none of which is given up', async () => {
      const app = await world.newApp();
      const target = await hook(app, {}, LIMITED);
      await install(app, 8);
      await allArrive(target.received, 8);
      assert.equal((await healthOf(app, target.id)).failed24h, 0);
    });

    for (const status of [429, 503])
      it(`Retry-After of a ${status} whose body is cut off counts: no attempt is used up, and the queue waits`, async () => {
        const app = await world.newApp();
        const cutOff = { ...pausing(3_600, status), isCutOff: true } as Behaviour;
        const target = await hook(app, {}, cutOff);
        await install(app, 1);
        await waitFor('the pause', async () => (await healthOf(app, target.id)).pausedUntil ?? undefined);
        const attempts = await storedAttempts(world.place, target.id);
        assert.deepEqual(
          attempts.map((each) => [each.http_status, each.attempt_number]),
          [[status, 1]],
        );
        assert.match(String(attempts[0]?.error_message), /asked to wait 3600 s/);
      });

    it('429 without Retry-After, or with one that makes no sense, is a failed attempt', async () => {
      const app = await world.newApp();
      const nonsense = { kind: 'answer', status: 429, headers: { 'retry-after': '-5' } } as const;
      const target = await hook(app, {}, { kind: 'answer', status: 429 }, nonsense);
      await install(app, 1);
      await waitFor('the third attempt', async () =>
        (await storedAttempts(world.place, target.id)).length === 3 ? true : undefined,
      );
      const numbers = (await storedAttempts(world.place, target.id)).map((each) => each.attempt_number);
      assert.deepEqual(numbers, [1, 2, 3]);
    });

    it('a test of a chat that asks to wait fails, and holds its queue', async () => {
      const app = await world.newApp();
      const chat = await hook(app, { template: 'slack' }, pausing(60));
      const { status, text } = await world.call('POST', `/v1/webhooks/${chat.id}/test`, {
        key: app.keys.live,
      });
      assert.equal(status, 502);
      assert.match(text, /asked to wait 60 s/);
      await install(app, 1);
      assert.ok((await healthOf(app, chat.id)).pausedUntil);
      assert.equal((await chat.received()).length, 1);
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
      it(`a pause that is ended by ${by} lets what waits go on within a second, also of another webhook`, async () => {
        const app = await world.newApp();
        const target = await hook(app, {}, pausing(3_600));
        const other = await newWebhook(world, app, { url: target.url, events: ['install.organic'] });
        await install(app, 1);
        await waitFor('the pause', async () => (await healthOf(app, target.id)).pausedUntil ?? undefined);
        await install(app, 2);
        await receivers.get.behave(target.path, { kind: 'answer', status: 200 });
        const startMs = Date.now();
        await end(app.keys.live, target.id);
        await waitFor('what waits', async () =>
          (await waitingFor(world.place, target.id)) + (await waitingFor(world.place, other.id)) === 0
            ? true
            : undefined,
        );
        assert.ok(Date.now() - startMs < 3_000, `${Date.now() - startMs} ms`);
        assert.equal((await healthOf(app, target.id)).pausedUntil, null);
      });

    it('a pause ends for a webhook that is enabled again, and not by a change that leaves it enabled', async () => {
      const app = await world.newApp();
      const target = await hook(app, {}, pausing(3_600), { kind: 'answer', status: 200 });
      const set = (enabled: boolean) =>
        world.call('PATCH', `/v1/webhooks/${target.id}`, { key: app.keys.live, body: { enabled } });
      await install(app, 1);
      await waitFor('the pause', async () => (await healthOf(app, target.id)).pausedUntil ?? undefined);
      await set(true);
      assert.ok((await healthOf(app, target.id)).pausedUntil);
      await set(false);
      await set(true);
      assert.equal((await healthOf(app, target.id)).pausedUntil, null);
      await install(app, 1);
      await allArrive(target.received, 1);
    });

    it('a pause ends for a webhook that gets another address', async () => {
      const app = await world.newApp();
      const left = await hook(app, {}, pausing(3_600));
      await install(app, 1);
      await waitFor('the pause', async () => (await healthOf(app, left.id)).pausedUntil ?? undefined);
      const path = `/${randomUUID()}`;
      const body = { url: receivers.get.url(path) };
      await world.call('PATCH', `/v1/webhooks/${left.id}`, { key: app.keys.live, body });
      await allArrive(() => receivers.get.received(path), 1);
      assert.equal((await healthOf(app, left.id)).pausedUntil, null);
    });
  });

for (const engine of engines)
  describe(`pauses of webhook receivers on ${engine}`, () => {
    const world = useWorld(engine, RECEIVER_ENV);
    const receivers = useReceiverProcess();

    /** Without attempts that the leap of the clock has cut off. */
    const endedAttempts = async (id: string) =>
      (await storedAttempts(world.place, id)).filter((each) => !each.error_message?.includes('interrupted'));

    it('pauses of an hour, resets and silence of 60 receivers delay no other', async () => {
      const app = await world.newApp();
      const make = async (path: string, ...steps: Behaviour[]) => {
        if (steps.length > 0) await receivers.get.behave(path, ...steps);
        const fields = { url: receivers.get.url(path), events: ['event.recorded'] };
        return (await newWebhook(world, app, fields)).id;
      };
      const paused: string[] = [];
      for (let nth = 0; nth < 20; nth++) {
        paused.push(await make(`/${randomUUID()}`, pausing(3_600)));
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

    it('a receiver that answers 429 for ever gets 20 more attempts than the three, then the message is given up', async () => {
      const app = await world.newApp();
      const path = `/${randomUUID()}`;
      await receivers.get.behave(path, pausing(30 * 60));
      const fields = { url: receivers.get.url(path), events: ['install.organic'] };
      const { id } = await newWebhook(world, app, fields);
      await world.install(app);
      await waitFor(
        'the message to be given up',
        async () => {
          // Every pause is over at once.
          world.clock.advance(31 * MINUTE_MS);
          return (await storedAttempts(world.place, id)).length > 0 &&
            (await waitingFor(world.place, id)) === 0
            ? true
            : undefined;
        },
        { everyMs: 200, withinMs: 90_000 },
      );
      const attempts = await endedAttempts(id);
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
      await waitFor(
        'both to be given up',
        async () => {
          world.clock.advance(HOUR_MS);
          const waiting = [await waitingFor(world.place, extended), await waitingFor(world.place, standard)];
          return (await storedAttempts(world.place, extended)).length > 0 &&
            waiting.every((count) => count === 0)
            ? true
            : undefined;
        },
        { everyMs: 200, withinMs: 90_000 },
      );
      const numbersOf = async (id: string) =>
        (await endedAttempts(id)).map((attempt) => attempt.attempt_number);
      assert.deepEqual(await numbersOf(standard), [1, 2, 3]);
      assert.deepEqual(
        await numbersOf(extended),
        Array.from({ length: 12 }, (_, nth) => nth + 1),
      );
    });
  });
