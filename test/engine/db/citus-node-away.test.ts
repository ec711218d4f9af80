/** A node of a Citus cluster is away: the apps of the other nodes are served, and those of the node when it is back. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, describe, it } from 'node:test';
import pino from 'pino';
import { bootstrap } from '../../../src/apps/bootstrap.ts';
import { DAY_MS, isoTime } from '../../../src/lib/clock.ts';
import { leastIdAt, NO_APP } from '../../../src/lib/ids.ts';
import { insertErasureRequests } from '../../../src/privacy/queries.ts';
import { dropOld } from '../../../src/privacy/retention.ts';
import { foldApps } from '../../../src/stats/fold-pending.ts';
import { createDailyUsage } from '../../../src/stats/index.ts';
import { newUser, PASSWORD, signIn } from '../../helpers/accounts.ts';
import { WITHOUT_CITUS, type Worker, workerOf } from '../../helpers/citus.ts';
import { newErasureRequest } from '../../helpers/privacy-scene.ts';
import { runCommand, startServer } from '../../helpers/process.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { RECEIVER_ENV, useReceiver } from '../../helpers/webhook-receiver.ts';
import { newWebhook } from '../../helpers/webhooks.ts';
import { type TestApp, useWorld } from '../../helpers/world.ts';

/** Fewer than the rate limit of a minute, in three parts. */
const LINKS = 15;

describe('while a node of a Citus cluster is away', { skip: WITHOUT_CITUS }, () => {
  const lines: { level: number; msg: string }[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push(JSON.parse(line)) });
  const world = useWorld('postgres', RECEIVER_ENV, { log });
  const receiver = useReceiver();
  let here: TestApp;
  let away: TestApp;
  let worker: Worker;
  let databaseUrl: string;

  before(async () => {
    databaseUrl = world.place.databaseUrl ?? '';
    await bootstrap(world.service);
    // The node of what belongs to no app.
    worker = await workerOf(databaseUrl, NO_APP);
    here = await newAppOn((port) => port !== worker.port);
    away = await newAppOn((port) => port === worker.port);
  });

  async function newAppOn(isRight: (port: number) => boolean): Promise<TestApp> {
    for (;;) {
      const app = await world.newApp();
      if (isRight((await workerOf(databaseUrl, app.id)).port)) return app;
    }
  }

  const event = (app: TestApp) => {
    const body = { installId, eventName: 'level' };
    return world.call('POST', '/v1/sdk/event', {
      key: app.keys.live_publishable,
      body,
      headers: { 'user-agent': 'shop/1.0' },
    });
  };
  const installId = randomUUID();
  /** Codes of both nodes. */
  const early: string[] = [];
  let hooks: { here: ReturnType<typeof receiver.newHook>; away: ReturnType<typeof receiver.newHook> };

  it('its apps get 503, and those of other nodes are served', async () => {
    hooks = { here: receiver.newHook(), away: receiver.newHook() };
    await newWebhook(world, here, { url: hooks.here.url, events: ['event.recorded'] });
    const { id: webhook_id } = await newWebhook(world, away, {
      url: hooks.away.url,
      events: ['event.recorded'],
    });
    for (let link = 0; link < 6; link++) early.push((await world.newLink(here)).shortCode);
    for (const app of [here, away]) assert.equal((await world.install(app, { installId })).status, 200);
    const { db, ids, clock } = world.service;
    // A delivery and a request that wait when the node goes away.
    const message = { app_id: away.id, id: ids.next(), event_type: 'event.recorded', sandbox: 0 as const };
    await db
      .insertInto('webhook_messages')
      .values({ ...message, record_id: installId, body: '{}' })
      .execute();
    await insertErasureRequests(db, [pendingRequest(away.id)]);
    const due = {
      app_id: away.id,
      id: ids.next(),
      webhook_id,
      message_id: message.id,
      status: 0 as const,
      failed_attempts: 0,
    };

    await worker.away();
    await db
      .insertInto('webhook_queue')
      .values({ ...due, next_attempt_at: isoTime(clock.nowMs()) })
      .execute();
    const refused = await event(away);
    assert.deepEqual([refused.status, refused.headers['x-service-error']], [503, 'database.unavailable']);
    assert.equal((await event(here)).status, 201);
  });

  const pendingRequest = (id: string) => newErasureRequest(world.service, { id }, { userId: 'ada' });

  it('links get generated codes of other nodes, and a chosen code that is there gets 503 with what to do', async () => {
    for (let link = 0; link < LINKS; link++) await world.newLink(here);
    const key = () => ({ 'idempotency-key': randomUUID() });
    for (let link = 0; link < LINKS; link++) {
      const { status } = await world.call('POST', '/v1/links', {
        key: here.keys.live,
        headers: key(),
        body: { deepLinkPath: '/' },
      });
      assert.equal(status, 201);
    }
    const answers = [];
    for (let link = 0; link < LINKS; link++) {
      const body = { deepLinkPath: '/', shortCode: `chosen-${randomUUID().slice(0, 8)}` };
      answers.push(await world.call('POST', '/v1/links', { key: here.keys.live, body }));
    }
    const statuses = new Set(answers.map(({ status }) => status));
    assert.deepEqual(statuses, new Set([201, 503]));
    const refused = answers.find(({ status }) => status === 503);
    assert.match(refused?.text ?? '', /short code is away\. Choose another shortCode, or try again/);
    assert.equal(
      (await world.call('POST', '/v1/links', { key: away.keys.live, body: { deepLinkPath: '/' } })).status,
      503,
    );
  });

  it('links whose code is there are read, changed and counted', async () => {
    for (const code of early) {
      const path = `/v1/links/${code}`;
      for (const url of [
        path,
        `${path}/stats`,
        `/v1/clicks?shortCode=${code}`,
        `/v1/stats?shortCode=${code}`,
      ]) {
        const { status, text } = await world.call('GET', url, { key: here.keys.live });
        assert.equal(status, 200, `${url}: ${text}`);
      }
    }
    const [code] = early;
    const changed = await world.call('PATCH', `/v1/links/${code}`, {
      key: here.keys.live,
      body: { campaignId: 'x' },
    });
    assert.equal(changed.status, 200, changed.text);
  });

  it('new apps get a place on another node', async () => {
    for (let app = 0; app < 8; app++)
      assert.equal((await world.admin('POST', '/apps', { name: 'new' })).status, 201);
  });

  it('operators, set-up addresses and new passwords need no node', async () => {
    const user = await newUser(world);
    const path = `/users/${user.id}`;
    assert.equal((await world.admin('PATCH', path, { isOperator: true })).status, 200);
    assert.equal((await world.admin('POST', '/users/setup', {})).status, 201);
    const made = await world.admin('POST', `${path}/password-reset`);
    assert.equal(made.status, 201, made.text);
    const body = { token: made.body.url.split('#')[1], password: PASSWORD };
    assert.equal((await world.call('POST', '/v1/password-resets/use', { body })).status, 200);
    assert.equal((await signIn(world, user.email)).status, 200);
    const log = (await world.admin('GET', '/audit-log?action=operator,setup,password_reset')).body;
    assert.deepEqual(
      log.map(({ action }: { action: string }) => action),
      ['password_reset.used', 'password_reset.address_made', 'setup.address_made', 'operator.marked'],
    );
  });

  it('erasures of other apps complete, and one line tells that the others wait', async () => {
    const from = lines.length;
    const body = { userId: 'ada' };
    const asked = await world.call('POST', '/v1/privacy/erase', { key: here.keys.live, body });
    assert.equal(asked.status, 202, asked.text);
    const [requestId] = asked.body.requestIds;
    await waitFor('the erasure', async () => {
      const { body } = await world.call('GET', `/v1/privacy/erase/${requestId}`, { key: here.keys.live });
      return body.completedAt ?? undefined;
    });
    const told = lines.slice(from).filter(({ msg }) => /erasure/i.test(msg));
    assert.ok(told.length <= 1, JSON.stringify(told));
  });

  it('the health of the service names the node', async () => {
    const { status, body, text } = await world.admin('GET', '/health');
    assert.equal(status, 200, text);
    const [problem] = body.problems;
    assert.equal(problem?.code, 'database.node_away');
    assert.match(problem?.message, new RegExp(`${worker.host}:${worker.port}\\.`));
  });

  it('webhooks of other apps are served, in the same second', async () => {
    await hooks.here.arrived(1);
    await event(here);
    await hooks.here.arrived(2);
    assert.equal(hooks.away.received.length, 0);
  });

  it('numbers of other apps are folded', async () => {
    const { db } = world.service;
    await foldApps(db);
    const left = await db.selectFrom('pending_counts').select('id').where('app_id', '=', here.id).execute();
    assert.deepEqual(left, []);
  });

  it('daily usage of other apps is saved, and that of its apps when it is back', async () => {
    const { db } = world.service;
    const usage = createDailyUsage({ db, log });
    const key = {
      day: isoTime(world.clock.nowMs()).slice(0, 10),
      kind: 'event',
      subject: randomUUID(),
    } as const;
    for (const app of [away, here]) usage.of({ ...key, app_id: app.id }).add(1, 10);
    const saved = (app: TestApp) =>
      db
        .selectFrom('daily_usage')
        .select('records')
        .where('app_id', '=', app.id)
        .where('subject', '=', key.subject)
        .execute();
    await waitFor('the usage of the other app', async () =>
      (await saved(here)).length > 0 ? true : undefined,
    );
    await worker.back();
    await waitFor('the usage of the app', async () => ((await saved(away)).length > 0 ? true : undefined));
    await usage.stop();
    await worker.away();
  });

  it('old rows of other apps are dropped', async () => {
    const { db } = world.service;
    const old = { action: 'webhook.delivery_failed', details: '{}', sandbox: 0 as const, app_id: here.id };
    const atMs = world.clock.nowMs() - 400 * DAY_MS;
    await db
      .insertInto('audit_log')
      .values({ ...old, id: leastIdAt(atMs), created_at: isoTime(atMs) })
      .execute();
    await dropOld(world.service);
    const left = await db
      .selectFrom('audit_log')
      .select('id')
      .where('app_id', '=', here.id)
      .where('action', '=', old.action)
      .execute();
    assert.deepEqual(left, []);
  });

  it('a service starts and serves the other apps', async () => {
    for (let start = 0; start < 4; start++) {
      const server = await startServer({
        ...world.place,
        env: { ...world.place.env, DATA_DIR: `${world.place.dataDir}/${start}` },
      });
      const answer = await fetch(`${server.url}/v1/links`, { headers: { 'x-api-key': here.keys.live } });
      assert.equal(answer.status, 200);
      assert.doesNotMatch(server.output(), /^\s+at .*\d+:\d+\)?$/m);
      assert.equal((await server.end('SIGTERM')).code, 0);
    }
  });

  it('a command that needs the node ends in one line', async () => {
    const { code, stderr } = await runCommand(['db', 'distribute'], {
      ...world.place.env,
      DATA_DIR: `${world.place.dataDir}/9`,
    });
    assert.deepEqual([code, stderr.trimEnd().split('\n').length], [1, 1], stderr);
  });

  it('everything that waited for it is done when it is back', async () => {
    const backMs = performance.now();
    await worker.back();
    await hooks.away.arrived(1);
    assert.ok(performance.now() - backMs < 4_000, 'its webhooks wait no longer');
    assert.equal((await event(away)).status, 201);
    const { db } = world.service;
    await waitFor('the erasure', async () => {
      const rows = await db
        .selectFrom('erasure_requests')
        .select('completed_at')
        .where('app_id', '=', away.id)
        .execute();
      return rows.every(({ completed_at }) => completed_at !== null) ? true : undefined;
    });
    const { body } = await world.admin('GET', '/health');
    const ofService = body.problems.filter(({ code }: { code: string }) => /^(database|clicks)\./.test(code));
    assert.deepEqual(ofService, []);
  });
});
