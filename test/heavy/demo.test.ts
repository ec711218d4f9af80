/** `throughline demo`: the numbers of its app equal its lists, beside a running server and without one. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertCounted } from '../helpers/counts.ts';
import { engines, makePlace, type Place } from '../helpers/engines.ts';
import { callCommand, type RunningServer, runCommand, startServer } from '../helpers/process.ts';
import { queryStored } from '../helpers/stored.ts';

// biome-ignore lint/suspicious/noExplicitAny: the test reads any field, and fails if it is missing.
type Item = any;

const DAY_MS = 86_400_000;
const DAYS = 90;

for (const engine of engines)
  describe(`demo on ${engine}`, () => {
    let place: Place;
    let server: RunningServer;
    let output = '';
    let appId = '';
    let key = '';
    const demo = (...args: string[]) => ['demo', '--people', '12', ...args];
    const run = (...args: string[]) => callCommand(demo(...args), place.env);

    before(async () => {
      place = await makePlace(engine);
      server = await startServer(place);
      const { code, stdout, stderr } = await runCommand(demo('--seed', '7'), place.env);
      assert.equal(code, 0, stderr);
      output = stdout;
      appId = /\/console\/([0-9a-f-]{36})\n/.exec(output)?.[1] ?? '';
      key = /\blive +(svc_live_\S+)/.exec(output)?.[1] ?? '';
    });
    after(async () => {
      await server?.end('SIGTERM');
      await place?.remove();
    });

    async function get(path: string, accept = 'application/json'): Promise<string> {
      const answer = await fetch(server.url + path, { headers: { 'x-api-key': key, accept } });
      const text = await answer.text();
      assert.equal(answer.status, 200, `${path}: ${text}`);
      return text;
    }
    const read = async (path: string): Promise<Item> => JSON.parse(await get(path));
    const list = async (path: string): Promise<Item[]> =>
      (await get(path, 'application/x-ndjson'))
        .split('\n')
        .filter(Boolean)
        .map((line): Item => JSON.parse(line));

    it('every number of the statistics equals a count over the lists', async () => {
      const [clicks, installs, opens, events] = [
        await list('/v1/clicks?visitor=all'),
        await list('/v1/installs'),
        await list('/v1/opens'),
        await list('/v1/events'),
      ];
      const { totals, groups } = await read(`/v1/stats?from=${daysAgo(DAYS - 1)}&groupBy=link&limit=100`);
      const human = clicks.filter(({ visitor }) => visitor === 'human').length;
      const attributed = installs.filter(({ method }) => method !== 'ORGANIC').length;
      const purchases = events.filter(({ revenue }) => revenue !== null && !revenue.amount.startsWith('-'));
      const paying = new Set(purchases.map(({ installId }) => installId)).size;
      assert.ok(paying > 2);
      const { networkInstalls, cost, costPerInstall, returnOnAdSpend, ...counted } = totals;
      assert.ok(networkInstalls > 2 && networkInstalls < installs.length);
      for (const each of [cost, costPerInstall, returnOnAdSpend]) assert.equal(each[0].currency, 'EUR');
      assert.deepEqual(counted, {
        ...{ clicks: human, otherClicks: clicks.length - human, installs: installs.length },
        ...{
          attributedInstalls: attributed,
          organicInstalls: installs.length - attributed,
          existingUsers: 0,
        },
        opens: opens.length,
        directOpens: opens.filter(({ method }) => method === 'DIRECT').length,
        ...{ events: events.length, revenue: revenueOf(events) },
        ...{ payingInstalls: paying, cohortRevenue: revenueOf(events), firstPurchases: paying },
      });
      for (const list of [clicks, installs, opens, events]) assert.ok(list.length > 20);
      assert.ok(human < clicks.length, 'some clicks are by machines');
      assert.equal(totals.revenue.length, 2, 'two currencies');
      assert.ok(groups.length > 8);
      for (const { key, clicks: count } of groups)
        assert.equal(
          count,
          clicks.filter(({ shortCode, visitor }) => shortCode === key && visitor === 'human').length,
          key,
        );
      await assertCounted(place);
    });

    it('each screen has something: all methods, a falling retention, failed deliveries, postbacks', async () => {
      const { groups } = await read(`/v1/stats?from=${daysAgo(DAYS - 1)}&groupBy=method`);
      const methods = groups.filter(({ installs }: Item) => installs > 0).map(({ key }: Item) => key);
      assert.deepEqual(methods.toSorted(), ['CLICK_ID', 'FINGERPRINT', 'INSTALL_REFERRER', 'ORGANIC']);
      const { cohorts } = await read(`/v1/stats/retention?from=${daysAgo(60)}&to=${daysAgo(10)}`);
      const active = (day: number) =>
        cohorts.reduce((sum: number, cohort: Item) => sum + (cohort.active[day] ?? 0), 0);
      const [first, second, eighth] = [active(0), active(1), active(7)];
      assert.ok(first > second && second > eighth && eighth > 0, `${[first, second, eighth]}`);
      const attempts = await queryStored(
        place,
        'select success, count(*) as n from webhook_attempts group by success order by success',
      );
      assert.deepEqual(
        attempts.map(({ success }) => Number(success)),
        [0, 1],
      );
      const [due] = await queryStored(place, 'select count(*) as n from webhook_queue');
      assert.equal(Number(due?.n), 0, 'nothing is sent');
      assert.ok((await read('/v1/skan/postbacks')).length > 0);
      for (const kind of ['country', 'referrer', 'utmSource'])
        assert.ok(
          (await read(`/v1/stats?from=${daysAgo(DAYS - 1)}&groupBy=${kind}`)).groups.length > 1,
          kind,
        );
    });

    it('names an install whose trace compares clicks', async () => {
      const id = /\/installs\/([0-9a-f-]{36})\n/.exec(output)?.[1];
      const { method, reason, explanation } = await read(`/v1/installs/${id}`);
      assert.equal(method, 'FINGERPRINT');
      assert.match(reason, /clicks? from this network address/);
      assert.ok(explanation.fingerprint.candidates.length > 0);
    });

    it('refuses an app that has records, and says what to do', async () => {
      const { code, stdout, stderr } = await run();
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, /“Demo” has records already.*--app APP_ID\)\.\n$/s);
      const unknown = await run('--app', 'demo');
      assert.deepEqual(
        [unknown.code, unknown.stderr],
        [1, 'No app has the ID demo. “throughline apps list” shows all apps.\n'],
      );
    });

    it('fills another app without a server, and one seed makes the same traffic again', async () => {
      await server.end('SIGTERM');
      const made = await callCommand(['apps', 'create', 'name=Other'], place.env);
      const { id } = JSON.parse(made.stdout) as { id: string };
      const { code, stdout, stderr } = await run('--app', id, '--seed', '7');
      assert.equal(code, 0, stderr);
      assert.match(stdout, /Start the service \(npm start\)/);
      const ids = async (app: string) =>
        (await queryStored(place, `select id from installs where app_id = '${app}' order by id`)).map(
          (row) => row.id,
        );
      const [first, second] = [await ids(appId), await ids(id)];
      // The later run may have seconds more.
      assert.deepEqual(second.slice(0, first.length), first);
      await assertCounted(place);
    });
  });

function daysAgo(days: number): string {
  return new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
}

/** As the statistics add it up. */
function revenueOf(events: readonly Item[]): { currency: string; amount: string }[] {
  const sums = new Map<string, number>();
  for (const { revenue } of events)
    if (revenue !== null)
      sums.set(
        revenue.currency,
        (sums.get(revenue.currency) ?? 0) + Math.round(Number(revenue.amount) * 100),
      );
  return [...sums]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, cents]) => ({ currency, amount: (cents / 100).toFixed(2) }));
}
