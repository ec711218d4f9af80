/** A list with a selective filter finds its rows among any number, and does not block other requests. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CompiledQuery, type RootOperationNode } from 'kysely';
import { type AppPage, listAuditEntries } from '../../../src/audit/list-entries.ts';
import type { Actor } from '../../../src/auth/index.ts';
import { type Db, insertMany } from '../../../src/db/index.ts';
import { isoTime } from '../../../src/lib/clock.ts';
import { listLinks } from '../../../src/links/lists/list-links.ts';
import { toRecordFilter } from '../../../src/records/filters.ts';
import { countRecords, listRecords } from '../../../src/records/queries.ts';
import { listAttempts } from '../../../src/webhooks/queries.ts';
import { engines } from '../../helpers/engines.ts';
import { insertEvents } from '../../helpers/many-events.ts';
import { noting, planOf } from '../../helpers/statements.ts';
import { useWorld } from '../../helpers/world.ts';

const MANY = 25_000;
/** Around the end of each statement's range, too: 1,000 rows first, then 10,000 each. */
const RARE = [100, 5_000, 13_997, 13_998, 13_999, 23_998, 23_999, 24_000, 24_990];

for (const engine of engines)
  describe(`lists of rare rows on ${engine}`, () => {
    const world = useWorld(engine);

    it('failed deliveries among successful ones, page by page', async () => {
      const { service } = world;
      const app = await world.newApp();
      const attempts = Array.from({ length: MANY }, (_, n) => ({
        app_id: app.id,
        id: service.ids.next(),
        webhook_id: service.ids.next(),
        message_id: service.ids.next(),
        event_type: 'event.recorded',
        success: RARE.includes(n) ? (0 as const) : (1 as const),
        attempt_number: 1,
        http_status: 200,
        response_body: '',
        error_message: null,
        duration_ms: 1,
        sandbox: 0 as const,
        webhook_url: 'https://example.com/',
        started_at: isoTime(service.clock.nowMs()),
      }));
      await insertMany(service.db, 'webhook_attempts', attempts);
      const rare = RARE.map((n) => attempts[n]?.id).reverse();
      const list = async (before: string | null, limit: number) => {
        const where = { eventType: 'event.recorded', success: false, before, limit };
        return (await listAttempts(service.db, app.id, where)).map(({ id }) => id);
      };
      assert.deepEqual(await list(null, 2), rare.slice(0, 2));
      assert.deepEqual(await list(rare[1] ?? '', 3), rare.slice(2, 5));
      const turns = await turnsBeside(async () => assert.deepEqual(await list(null, 50), rare));
      // PostgreSQL queries are asynchronous and never block the event loop.
      if (engine === 'sqlite') assert.ok(turns >= 3, `${turns} turns`);
    });

    it('audit entries of test keys among those of live keys, and entries before a time', async () => {
      const { service } = world;
      const app = await world.newApp();
      const startMs = service.clock.nowMs();
      const entries = Array.from({ length: MANY }, (_, n) => ({
        app_id: app.id,
        id: service.ids.next(),
        action: 'webhook.delivery_failed',
        details: '{}',
        sandbox: RARE.includes(n) ? (1 as const) : (0 as const),
        created_at: isoTime(startMs + n),
      }));
      await insertMany(service.db, 'audit_log', entries);
      const all = { actions: null, actor: null, resource: null, shortCode: null, fromMs: null, toMs: null };
      const page = {
        ...all,
        order: 'desc',
        before: null,
        after: null,
        sandboxOnly: false,
        limit: 50,
      } as const;
      const list = async (narrowed: Partial<AppPage>) =>
        (await listAuditEntries(service.db, app.id, { ...page, ...narrowed })).map(({ id }) => id);
      const rare = RARE.map((n) => entries[n]?.id).reverse();
      const turns = await turnsBeside(async () => assert.deepEqual(await list({ sandboxOnly: true }), rare));
      // PostgreSQL queries are asynchronous and never block the event loop.
      if (engine === 'sqlite') assert.ok(turns >= 3, `${turns} turns`);
      assert.deepEqual(await list({ sandboxOnly: true, order: 'asc' }), rare.toReversed());
      const first = await list({ before: { atMs: startMs + 2 } });
      assert.deepEqual(first.slice(0, 2), [entries[1]?.id, entries[0]?.id]);
    });

    it('events and installs of a filter, page by page in both orders, exported and counted', async () => {
      const app = await world.newApp();
      const events = await insertEvents(world, app, { count: 12_500, propertyBytes: 1 });
      const rare = [0, 1_498, 1_499, 1_500, 1_501, 11_498, 11_499, 11_500, 11_501, 12_499].map(
        (n) => events[n] ?? '',
      );
      const { db, clock } = world.service;
      await db
        .updateTable('events')
        .set({ event_name: 'rare' })
        .where('app_id', '=', app.id)
        .where('id', 'in', rare)
        .execute();
      // Several of one millisecond, also where ranges end.
      const installs = Array.from({ length: 2_500 }, (_, n) => ({
        ...{
          app_id: app.id,
          id: world.service.ids.next(),
          sandbox: 0 as const,
          user_id: null,
          platform: 'IOS',
        },
        ...{
          ip_hash: null,
          user_agent: null,
          device_model: null,
          os_version: null,
          locale: null,
          fingerprint: '{}',
        },
        ...{
          attribution_method: 'ORGANIC',
          click_id: null,
          link_id: null,
          campaign_id: null,
          confidence: null,
        },
        ...{ answer: '{}', trace: '{}', country: n % 99 === 0 ? 'DE' : null, referrer: null, utm: null },
        ...{ erased: null, erased_at: null, last_open: null, active_days: 1, existing_user: null },
        ...{ first_purchase: null, installed_at: isoTime(clock.nowMs() - 1_000 + Math.floor(n / 7)) },
      }));
      await insertMany(db, 'installs', installs);
      const inGermany = installs.filter(({ country }) => country === 'DE').map(({ id }) => id);
      const get = async (query: string, accept = 'application/json') => {
        const answer = await world.call('GET', `/v1/${query}`, { key: app.keys.live, headers: { accept } });
        assert.equal(answer.status, 200, answer.text);
        return answer;
      };
      const idsOf = (items: { id: string }[]) => items.map(({ id }) => id);
      for (const [query, expected] of [
        ['events?eventName=rare', rare],
        ['installs?country=DE', inGermany],
      ] as const) {
        for (const [order, next, ids] of [
          ['asc', 'after', expected],
          ['desc', 'before', expected.toReversed()],
        ] as const) {
          const seen: string[] = [];
          for (let page: string[] = ids.slice(0, 1); page.length > 0; seen.push(...page))
            page = idsOf(
              (
                await get(
                  `${query}&order=${order}&limit=3${seen.length > 0 ? `&${next}=${seen.at(-1)}` : ''}`,
                )
              ).body,
            );
          assert.deepEqual(seen, ids, `${query} ${order}`);
        }
        const { text } = await get(query, 'application/x-ndjson');
        assert.deepEqual(
          idsOf(
            text
              .trim()
              .split('\n')
              .map((line) => JSON.parse(line)),
          ),
          expected,
          query,
        );
        assert.equal(
          (await get(`${query}&include=total&limit=1`)).headers['x-total-count'],
          String(expected.length),
        );
      }
      // Of a link that all events have, each statement reads a part, too.
      const { id: link_id, shortCode } = await world.newLink(app);
      await db.updateTable('events').set({ link_id }).where('app_id', '=', app.id).execute();
      const ofLink = `events?shortCode=${shortCode}&eventName=rare&include=total`;
      const found = await get(ofLink);
      assert.deepEqual(idsOf(found.body), rare.toReversed());
      assert.equal(found.headers['x-total-count'], '10');
      const actor = { appId: app.id, mode: 'live' } as Actor;
      const input = { shortCode, eventName: ['rare'] };
      const filter = await toRecordFilter(world.service, 'events', { actor, input });
      for (const read of [
        (db: Db) => listRecords(db, 'events', filter, { order: 'desc', limit: 50 }),
        (db: Db) => countRecords(db, 'events', filter, 100),
      ]) {
        const asked: RootOperationNode[] = [];
        await read(noting(db, asked));
        assert.ok(asked.length >= 6, `${asked.length} statements`);
      }
      const totalOf = async (query: string) =>
        (await get(`events?include=total&limit=1${query}`)).headers['x-total-count'];
      const turns = await turnsBeside(async () => assert.equal(await totalOf('&eventName=rare'), '10'));
      // PostgreSQL queries are asynchronous and never block the event loop.
      if (engine === 'sqlite') assert.ok(turns >= 3, `${turns} turns`);
      assert.equal(await totalOf(''), '10000+');
      const last = events[2_499] ?? '';
      await db.deleteFrom('events').where('app_id', '=', app.id).where('id', '<=', last).execute();
      assert.equal(await totalOf(''), '10000');
    });

    it('links of a test key among live ones are found by a separate index', async () => {
      const { service } = world;
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app);
      const link = await service.db
        .selectFrom('links')
        .selectAll()
        .where('app_id', '=', app.id)
        .executeTakeFirst();
      assert.equal(link?.short_code, shortCode);
      const links = Array.from({ length: MANY / 5 }, () => ({ ...link, id: service.ids.next() }));
      await insertMany(service.db, 'links', links);
      if (engine === 'postgres') await service.db.executeQuery(CompiledQuery.raw('analyze links'));
      const page = { campaignId: null, sandboxOnly: true, limit: 50, offset: 0 };
      assert.match(await planOf(service.db, (db) => listLinks(db, app.id, page)), /links_of_sandbox/);
    });
  });

/** The number of times that the event loop ran other callbacks during `work`. */
async function turnsBeside(work: () => Promise<void>): Promise<number> {
  let turns = 0;
  let isDone = false;
  const take = () => {
    turns += 1;
    if (!isDone) setImmediate(take);
  };
  setImmediate(take);
  await work().finally(() => {
    isDone = true;
  });
  return turns;
}
