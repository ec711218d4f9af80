/** What `/metrics` says of records, queues, limits and outages. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { conditionOf } from '../../src/db/index.ts';
import { createLog } from '../../src/lib/log.ts';
import { engines } from '../helpers/engines.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { RECEIVER_ENV, useReceiver } from '../helpers/webhook-receiver.ts';
import { newWebhook } from '../helpers/webhooks.ts';
import { freshAddress, IPHONE_FINGERPRINT, type TestApp, useWorld } from '../helpers/world.ts';

const TOKEN = 'a token for metrics';
const PLAY = { androidDestination: 'https://play.google.com/store/apps/details?id=com.example' };

for (const engine of engines)
  describe(`metrics on ${engine}`, () => {
    const log = createLog('warn', { to: { write: () => undefined }, conditionOf });
    const world = useWorld(engine, { ...RECEIVER_ENV, METRICS_TOKEN: TOKEN }, { log });
    const receiver = useReceiver();
    let app: TestApp;
    before(async () => {
      app = await world.newApp();
    });

    async function scrape(): Promise<string> {
      const headers = { authorization: `Bearer ${TOKEN}` };
      const { status, text } = await world.call('GET', '/metrics', { headers });
      assert.equal(status, 200, text);
      return text;
    }

    /** The value of one line; undefined without it. */
    async function readingOf(series: string): Promise<number | undefined> {
      const line = (await scrape()).split('\n').find((each) => each.startsWith(`${series} `));
      return line === undefined ? undefined : Number(line.slice(series.length + 1));
    }

    /** What `act` adds to counters. */
    async function added(series: readonly string[], act: () => Promise<unknown>): Promise<number[]> {
      const values = async () => {
        const found = [];
        for (const each of series) found.push((await readingOf(each)) ?? Number.NaN);
        return found;
      };
      const earlier = await values();
      await act();
      return (await values()).map((value, index) => value - (earlier[index] ?? 0));
    }

    it('METRICS_TOKEN opens /metrics and nothing else, and the admin token still does', async () => {
      const withToken = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
      const statuses = [];
      for (const token of [TOKEN, world.service.dataDir.adminToken, `${TOKEN}.`, TOKEN.slice(1)])
        statuses.push((await world.call('GET', '/metrics', withToken(token))).status);
      assert.deepEqual(statuses, [200, 200, 401, 401]);
      for (const path of ['/v1/admin/health', '/v1/admin/apps'])
        assert.equal((await world.call('GET', path, withToken(TOKEN))).status, 401, path);
    });

    it('installs, opens and events count once each, by method, however often they are sent', async () => {
      const { shortCode } = await world.newLink(app, PLAY);
      const from = freshAddress();
      const installId = randomUUID();
      const openId = randomUUID();
      const key = app.keys.live_publishable;
      const series = [
        'throughline_installs_recorded_total{method="CLICK_ID"}',
        'throughline_installs_recorded_total{method="ORGANIC"}',
        'throughline_installs_recorded_total{method="EXISTING_USER"}',
        'throughline_opens_recorded_total{method="DIRECT"}',
        'throughline_opens_recorded_total{method="ORGANIC"}',
        'throughline_events_recorded_total',
      ];
      const counts = await added(series, async () => {
        const clickId = await world.clickId(shortCode, { from });
        for (const _again of [1, 2]) {
          assert.equal((await world.install(app, { installId, clickId }, { from })).status, 200);
          const open = { openId, shortCode, fingerprint: IPHONE_FINGERPRINT };
          assert.equal((await world.call('POST', '/v1/sdk/resolve', { key, body: open })).status, 200);
        }
        await world.install(app, {}, { from: freshAddress() });
        await world.install(app, { existingUser: true }, { from: freshAddress() });
        const open = { fingerprint: IPHONE_FINGERPRINT };
        await world.call('POST', '/v1/sdk/open', { key, from: freshAddress(), body: open });
        for (const eventName of ['a', 'b', 'session_start'])
          await world.call('POST', '/v1/sdk/event', { key, body: { installId, eventName } });
      });
      assert.deepEqual(counts, [1, 1, 1, 1, 1, 2]);
    });

    it('deliveries that wait are counted by kind, with how long the first is overdue', async () => {
      const hook = receiver.newHook(() => ({ status: 429, headers: { 'retry-after': '3000' } }));
      await newWebhook(world, app, { url: hook.url, events: ['install.organic'] });
      await world.install(app, {}, { from: freshAddress() });
      await hook.arrived();
      await world.install(app, {}, { from: freshAddress() });
      const waiting = 'throughline_webhook_attempts_waiting{kind="webhook"}';
      await waitFor('both to wait', async () => {
        world.clock.advance(20_000);
        return (await readingOf(waiting)) === 2 || undefined;
      });
      world.clock.advance(600_000);
      const overdue = (await readingOf('throughline_webhook_attempts_overdue_seconds{kind="webhook"}')) ?? 0;
      assert.ok(overdue > 500 && overdue < 3_000, String(overdue));
      assert.equal(await readingOf('throughline_webhook_attempts_waiting{kind="destination"}'), 0);
    });

    it('erasures that wait are counted, with the age of the oldest', async () => {
      const hour = new Date(world.clock.nowMs() - 3_600_000).toISOString();
      const { db, ids } = world.service;
      const id = ids.next();
      await db
        .insertInto('erasure_requests')
        .values({ app_id: app.id, id, requested_at: hour, sandbox: 0, counts: '{}' })
        .execute();
      world.clock.advance(20_000);
      assert.equal(await readingOf('throughline_erasures_waiting'), 1);
      const age = (await readingOf('throughline_erasures_oldest_age_seconds')) ?? 0;
      assert.ok(age >= 3_600 && age < 7_200, String(age));
      await db.deleteFrom('erasure_requests').where('app_id', '=', app.id).where('id', '=', id).execute();
    });

    it('a refusal by a rate limit counts under the name of the limit', async () => {
      const series = 'throughline_rate_limited_total{limit="refused-keys"}';
      const from = freshAddress();
      const [refused] = await added([series], async () => {
        for (let call = 0; call < 123; call++) await world.call('GET', '/v1/links', { key: 'wrong', from });
      });
      assert.equal(refused, 3);
    });

    it('a warning that goes on is an open condition by its name, and one without a name is another', async () => {
      log.warn({ condition: 'a test of conditions' }, 'This goes on');
      log.warn('This has no name');
      assert.equal(await readingOf('throughline_conditions_open{condition="a test of conditions"}'), 1);
      assert.ok(((await readingOf('throughline_conditions_open{condition="other"}')) ?? 0) >= 1);
    });

    it('migrations, size, connections, statements, disk and build are there; there is no backup yet', async () => {
      world.clock.advance(20_000);
      const text = await scrape();
      const known = await readingOf('throughline_migrations_known');
      assert.equal(await readingOf('throughline_migrations_applied'), known);
      assert.ok((known ?? 0) > 30);
      assert.ok(((await readingOf('throughline_database_bytes')) ?? 0) > 100_000);
      assert.ok(((await readingOf('throughline_disk_free_bytes')) ?? 0) > 0);
      assert.ok(
        ((await readingOf('throughline_database_statement_duration_seconds_count{operation="commit"}')) ??
          0) > 0,
      );
      const isShared = engine === 'postgres';
      assert.equal(/^throughline_database_connections\{state="idle"\} \d/m.test(text), isShared);
      assert.match(
        text,
        new RegExp(`^throughline_build_info\\{version="\\d[^"]*",engine="${engine}",node="`, 'm'),
      );
      assert.match(text, /^throughline_database_up 1$/m);
      assert.doesNotMatch(text, /^throughline_backup_last_success_timestamp_seconds /m);
    });

    it('each metric that alerts, dashboard and guide name is there, and the guide names each', async () => {
      // Prometheus' own, and those of the other engine and of traces.
      const elsewhere = [
        'throughline_database_connections',
        'throughline_database_connection_waiters',
        'throughline_trace_spans_total',
      ];
      const there = new Set([
        ...[...(await scrape()).matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name ?? ''),
        ...elsewhere,
      ]);
      const read = (path: string) => readFileSync(path, 'utf8').replaceAll(/_(bucket|sum|count)\b/g, '');
      const [guide, ...files] = [
        'docs/guide/monitoring.md',
        'docs/guide/alerts.md',
        'deploy/monitoring/alerts.yml',
        'deploy/monitoring/dashboard.json',
      ].map(read);
      const names = [guide, ...files].join('\n').match(/\b(throughline|process|nodejs)_\w+/g) ?? [];
      assert.deepEqual(
        [...new Set(names)].filter((name) => !there.has(name)),
        [],
      );
      const own = [...there].filter((name) => name.startsWith('throughline_'));
      assert.deepEqual(
        own.filter((name) => !guide?.includes(`\`${name}\``)),
        [],
      );
    });

    it('further apps and links add no series', async () => {
      const namesIn = (text: string) =>
        text
          .split('\n')
          .filter((line) => /^throughline_/.test(line) && !line.startsWith('throughline_loop_'))
          .map((line) => line.slice(0, line.lastIndexOf(' ')));
      const use = async () => {
        const other = await world.newApp();
        const { shortCode } = await world.newLink(other, PLAY);
        await world.tap(shortCode, { from: freshAddress() });
        await world.install(other, {}, { from: freshAddress() });
      };
      await use();
      const earlier = new Set(namesIn(await scrape()));
      await use();
      await use();
      const later = namesIn(await scrape()).filter((name) => !name.startsWith('throughline_conditions_open'));
      assert.deepEqual(
        later.filter((name) => !earlier.has(name)),
        [],
      );
    });
  });
