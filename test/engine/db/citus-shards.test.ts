/** On Citus every statement of a call goes to one shard, so that a call costs as much as on one node. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { commit } from '../../../src/db/postgres/commit.ts';
import { isoTime } from '../../../src/lib/clock.ts';
import { DISTRIBUTED_TABLES } from '../../../src/schema/placements.ts';
import { createOutbox, insertOutbox } from '../../../src/webhooks/index.ts';
import { WITHOUT_CITUS } from '../../helpers/citus.ts';
import { RECEIVER_ENV, useReceiver } from '../../helpers/webhook-receiver.ts';
import { newWebhook } from '../../helpers/webhooks.ts';
import { freshAddress, type TestApp, useWorld } from '../../helpers/world.ts';

interface Statement {
  readonly text: string;
  readonly values: unknown[];
}

const SPREAD = new RegExp(`\\b(?:${DISTRIBUTED_TABLES.map(({ table }) => table).join('|')})\\b`);
/** The coordinator creates these rows and forwards them; the plan does not name their shards. */
const SENDS_ROWS = 'Citus INSERT ... SELECT';
/** Asked by loops, whatever is called. */
const OF_A_LOOP = /^select distinct "app_id" from "(?:destination_feed|pending_counts)"/;
const APP_HEADERS = { 'user-agent': 'shop/1.0' };

describe('the statements of a call on Citus', { skip: WITHOUT_CITUS }, () => {
  const asked: Statement[] = [];
  let recording: { stop(): void };
  let explainer: pg.Client;
  // Runs before the database is removed.
  after(async () => {
    recording?.stop();
    await explainer?.end();
  });
  const world = useWorld('postgres', RECEIVER_ENV);
  const receiver = useReceiver();
  let app: TestApp;
  let shortCode: string;
  let installId: string;

  before(async () => {
    explainer = new pg.Client({ connectionString: world.place.databaseUrl ?? '' });
    await explainer.connect();
    app = await world.newApp({
      androidDestination: 'https://play.google.com/store/apps/details?id=com.example',
    });
    ({ shortCode } = await world.newLink(app));
    installId = (await world.install(app)).body.installId;
    recording = recordStatements(asked);
  });

  it('an event and its webhook delivery are committed in two phases', async () => {
    const { service } = world;
    const issued: string[] = [];
    const client = new pg.Client({ connectionString: world.place.databaseUrl ?? '' });
    client.on('notice', ({ message = '' }) => issued.push(message));
    await client.connect();
    await client.query('set citus.log_remote_commands = on');
    const timestamp = isoTime(world.clock.nowMs());
    const event = {
      type: 'event.recorded',
      timestamp,
      isSandbox: false,
      recordId: installId,
      data: {},
    } as const;
    const webhook = {
      webhookId: service.ids.next(),
      kind: 'webhook' as const,
      events: [],
      eventNames: [],
      isSandboxOnly: false,
      template: null,
      templateConfig: { mentionText: null, accentColor: null },
    };
    const outbox = createOutbox(service, app.id, [webhook], [event]);
    assert.equal(await commit(client, await insertOutbox(service.db, outbox)), null);
    await client.end();
    assert.ok(
      issued.some((message) => /issuing PREPARE TRANSACTION/.test(message)),
      issued.join('\n'),
    );
  });

  it('an install is committed on its node by one statement, with a webhook by a transaction of two nodes', async () => {
    const other = await world.newApp();
    const commitsOf = async () => {
      asked.length = 0;
      const { status } = await world.install(other, { installId: randomUUID() });
      assert.equal(status, 200);
      return asked.map(({ text }) => text).filter((text) => /throughline_commit|^with part_0/.test(text));
    };
    const [alone, ...more] = await commitsOf();
    assert.match(alone ?? '', /^select throughline_commit/);
    assert.deepEqual(more, []);
    const { rows } = await explainer.query<{ 'QUERY PLAN': string }>(
      `explain ${withValues(alone ?? '', [other.id, ['select 1'], []])}`,
    );
    assert.match(rows.map((row) => row['QUERY PLAN']).join('\n'), /Citus Adaptive/);
    await newWebhook(world, other, { url: receiver.newHook().url, events: ['install.organic'] });
    const [both] = await commitsOf();
    assert.match(both ?? '', /^with part_0/);
  });

  it('a commit on the node changes nothing if one of its statements does not', async () => {
    const { db, store } = world.service;
    const count = () => db.selectFrom('pending_counts').selectAll().where('app_id', '=', app.id).execute();
    const before = await count();
    const insert = db
      .insertInto('pending_counts')
      .values({ app_id: app.id, facts: "['%1$s', '$1']" })
      .returning('id');
    const none = db
      .selectFrom('installs')
      .select('id')
      .where('app_id', '=', app.id)
      .where('id', '=', randomUUID());
    assert.equal(await store.commit([insert, none, insert], app.id), 1);
    assert.deepEqual(await count(), before);
    assert.equal(await store.commit([insert, insert], app.id), null);
    const after = await count();
    assert.deepEqual(
      after.slice(-2).map(({ facts }) => facts),
      ["['%1$s', '$1']", "['%1$s', '$1']"],
    );
    await db.deleteFrom('pending_counts').where('app_id', '=', app.id).execute();
  });

  /** Runs a call and explains every statement that it runs on a distributed table. */
  async function reachesOneShard(work: () => Promise<unknown>): Promise<void> {
    asked.length = 0;
    await work();
    await world.service.clickLog.applied();
    const statements = new Map(
      asked.filter(({ text }) => SPREAD.test(text) && !OF_A_LOOP.test(text)).map((each) => [each.text, each]),
    );
    assert.ok(statements.size > 0, 'no statement was recorded');
    for (const { text, values } of statements.values()) {
      const shards = await shardsOf(text, values);
      assert.ok(shards <= 1, `${shards} shards: ${text}`);
    }
  }

  /** The number of shards of one table that a statement reads or writes; the statement is rolled back. */
  async function shardsOf(text: string, values: unknown[]): Promise<number> {
    const { rows } = await explainer.query<{ 'QUERY PLAN': string }>(`explain ${withValues(text, values)}`);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    assert.doesNotMatch(plan, /repartition|MapMergeJob/i, text);
    const tasks = [...plan.matchAll(/Task Count: (\d+)/g)].map(([, count]) => Number(count));
    return Math.max(...tasks, plan.includes(SENDS_ROWS) ? await shardsWritten(text, values) : 0);
  }

  /** The statements sent to other nodes name the shards of the tables. */
  async function shardsWritten(text: string, values: unknown[]): Promise<number> {
    const shards = new Map<string, Set<string>>();
    const notice = ({ message = '' }: { message?: string | undefined }) => {
      for (const [, table = '', shard = ''] of message.matchAll(/\bpublic\.([a-z_]+?)_(\d{6,})\b/g))
        shards.set(table, (shards.get(table) ?? new Set()).add(shard));
    };
    explainer.on('notice', notice);
    await explainer.query('begin');
    await explainer.query('set local citus.log_remote_commands = on');
    // A duplicate key is expected; only the shard can detect it.
    await explainer
      .query(text, values)
      .catch((error: Error) => assert.match(error.message, /^duplicate key/));
    await explainer.query('rollback');
    explainer.off('notice', notice);
    assert.ok(shards.size > 0, `no statement was sent to a shard: ${text}`);
    return Math.max(...[...shards.values()].map((ids) => ids.size));
  }

  it('a redirect and its click go to one shard', async () => {
    await reachesOneShard(async () => {
      for (let n = 0; n < 20; n += 1) await world.tap(shortCode, { from: freshAddress() });
    });
  });

  it('an install, by referrer, by click ID, by fingerprint and organic, goes to one shard', async () => {
    const hook = receiver.newHook();
    const events = ['install.attributed', 'install.organic', 'open.attributed', 'event.recorded'];
    await newWebhook(world, app, { url: hook.url, events });
    const from = freshAddress();
    await reachesOneShard(async () => {
      const clickId = await world.clickId(shortCode);
      const referrer = await world.clickId(shortCode);
      await world.tap(shortCode, { from });
      const installs = [
        await world.install(app, { installReferrer: `svc_click_id=${referrer}` }),
        await world.install(app, { clickId }),
        await world.install(app, {}, { from }),
        await world.install(app, {}, { from: freshAddress() }),
      ];
      assert.deepEqual(
        installs.map(({ body }) => body.method),
        ['INSTALL_REFERRER', 'CLICK_ID', 'FINGERPRINT', 'ORGANIC'],
      );
      // Includes the queued webhook deliveries, their attempts and their log.
      await hook.arrived(4);
    });
  });

  it('opens, events, users and resolved links go to one shard', async () => {
    const key = app.keys.live_publishable;
    const fingerprint = { platform: 'IOS' };
    const event = (eventName: string) => ({ installId, eventName, userId: 'ada' });
    const post = async (path: string, body: unknown) => {
      const answer = await world.call('POST', `/v1/sdk/${path}`, { key, body, headers: APP_HEADERS });
      assert.ok(answer.status < 300, answer.text);
    };
    await reachesOneShard(async () => {
      await post('open', { fingerprint, installId });
      await post('event', event('level'));
      await post('events', { events: Array.from({ length: 50 }, (_, n) => event(`level ${n}`)) });
      await post('identify', { installId, userId: 'ada' });
      await post('resolve', { shortCode });
    });
  });

  it('a link is created, read, listed, updated and counted on one shard', async () => {
    const key = app.keys.live;
    await reachesOneShard(async () => {
      const link = await world.newLink(app, { campaignId: 'summer' });
      const path = `/v1/links/${link.shortCode}`;
      for (const url of [path, '/v1/links?campaignId=summer', `${path}/stats`, `${path}/diagnosis`])
        assert.ok((await world.call('GET', url, { key })).status < 500);
      await world.call('PATCH', path, { key, body: { campaignId: 'autumn' } });
      await world.call('GET', '/v1/webhooks/deliveries', { key });
      await world.call('DELETE', path, { key });
    });
  });

  it('the check detects a statement that goes to all shards', async () => {
    await assert.rejects(
      reachesOneShard(() => world.service.db.selectFrom('links').select('id').execute()),
      /shards/,
    );
  });
});

/** Citus plans for concrete values; some parameterised statements it cannot explain. */
function withValues(text: string, values: readonly unknown[]): string {
  return text.replace(/\$(\d+)/g, (_, place) => {
    const value = values[Number(place) - 1] ?? null;
    if (value === null) return 'null';
    return pg.escapeLiteral(Array.isArray(value) ? `{${value.join(',')}}` : String(value));
  });
}

/** Records every statement that this process sends to a database, with its parameters. */
function recordStatements(asked: Statement[]): { stop(): void } {
  const { query } = pg.Client.prototype;
  const recorded = function (this: pg.Client, ...args: unknown[]): unknown {
    const [first, second] = args;
    const config = (
      typeof first === 'string' ? { text: first, values: second } : first
    ) as Partial<Statement>;
    if (/^\s*(?:select|insert|update|delete|with)\b/i.test(config.text ?? ''))
      asked.push({ text: config.text ?? '', values: Array.isArray(config.values) ? config.values : [] });
    return (query as (...args: unknown[]) => unknown).apply(this, args);
  };
  pg.Client.prototype.query = recorded as typeof query;
  return {
    stop: () => {
      pg.Client.prototype.query = query;
    },
  };
}
