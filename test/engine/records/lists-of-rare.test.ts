/** A list with a selective filter finds its rows among any number, and does not block other requests. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CompiledQuery } from 'kysely';
import { type AppPage, listAuditEntries } from '../../../src/audit/list-entries.ts';
import { insertMany } from '../../../src/db/index.ts';
import { isoTime } from '../../../src/lib/clock.ts';
import { listLinks } from '../../../src/links/queries.ts';
import { listAttempts } from '../../../src/webhooks/queries.ts';
import { engines } from '../../helpers/engines.ts';
import { planOf } from '../../helpers/statements.ts';
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
