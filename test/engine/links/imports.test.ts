/** What an import stores, and what it reports of each row. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dropOldImports } from '../../../src/links/index.ts';
import { ask } from '../../helpers/ask.ts';
import { IPHONE } from '../../helpers/callers.ts';
import { engines } from '../../helpers/engines.ts';
import { importFile, reportOf, startImport, tableOf } from '../../helpers/imports.ts';
import { assertError } from '../../helpers/shapes.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { DESKTOP, type TestApp, useWorld, type World } from '../../helpers/world.ts';

const HEADER = 'Short Link,Destination URL,Title,Tags,Clicks,Created at,Expires at';
const row = (
  path: string,
  rest = 'https://www.example.com/shoes/42?size=9,Shoes,"spring,shoes",12,2024-05-01T00:00:00Z,',
) => `https://${host}/${path},${rest}`;
let hosts = 0;
let host = '';

async function appWithHost(world: World): Promise<TestApp> {
  host = `go${++hosts}.example.com`;
  return await world.newApp({ shortLinkHost: host });
}

function tap(world: World, path: string) {
  return ask(world, path, { host, headers: { 'user-agent': DESKTOP } });
}

for (const engine of engines)
  describe(`imports on ${engine}`, () => {
    const world = useWorld(engine);

    it('a row becomes a link at its old path, with tags, totals and where it came from', async () => {
      const app = await appWithHost(world);
      const key = app.keys.live;
      // Unknown so far, and cached.
      assert.equal((await tap(world, '/summer/Sale')).status, 404);
      const report = await importFile(world, tableOf(HEADER, row('summer/Sale')), { key });
      assert.deepEqual(
        [report.status, report.rows, report.created, report.failed, report.error],
        ['completed', 1, 1, 0, undefined],
      );
      assert.equal(report.columns['Short Link'], 'shortUrl');
      const [link] = (await world.call('GET', '/v1/links', { key })).body;
      assert.deepEqual(
        [
          link.path,
          link.shortUrl,
          link.title,
          link.tags,
          link.importedClicks,
          link.deepLinkPath,
          link.sandbox,
        ],
        ['summer/Sale', `http://${host}/summer/Sale`, 'Shoes', ['spring', 'shoes'], 12, '/shoes/42', false],
      );
      assert.equal(link.metadata.importedFrom, 'csv');
      assert.equal(link.clicksTotal, undefined);
      world.clock.advance(1_000);
      const answer = await tap(world, '/summer/Sale');
      assert.deepEqual(
        [answer.status, answer.headers.location],
        [302, 'https://www.example.com/shoes/42?size=9'],
      );
      assert.equal((await tap(world, `/l/${link.shortCode}`)).status, 302);
      const tagged = await world.service.db
        .selectFrom('link_tags')
        .select('tag')
        .where('app_id', '=', app.id)
        .where('link_id', '=', link.id)
        .orderBy('tag')
        .execute();
      assert.deepEqual(
        tagged.map(({ tag }) => tag),
        ['shoes', 'spring'],
      );
    });

    it('phones get the page that they got before with the parameters of the tap, though the app names a store later', async () => {
      const app = await appWithHost(world);
      const key = app.keys.live;
      await importFile(world, tableOf(HEADER, row('poster')), { key });
      const store = 'https://apps.apple.com/app/id1';
      const set = await world.admin('PATCH', `/apps/${app.id}`, { iosDestination: store });
      assert.equal(set.status, 200, set.text);
      const { headers } = await ask(world, '/poster?utm_source=wall', {
        host,
        headers: { 'user-agent': IPHONE },
      });
      assert.equal(headers.location, 'https://www.example.com/shoes/42?size=9&utm_source=wall');
    });

    it('a dry run stores no link and says the same of each row as the import after it', async () => {
      const app = await appWithHost(world);
      const key = app.keys.live;
      await world.newLink(app, { path: 'taken', fallbackUrl: 'https://other.example.com' });
      const file = tableOf(
        HEADER,
        row('one'),
        row('one'),
        row('one', 'https://www.example.com/other,,,,,'),
        row('taken'),
        row('no destination', ',,,,,'),
        row('console/x'),
        row('ended', 'https://www.example.com/,,,,,2020-01-01T00:00:00Z'),
        row('circle', `https://${host}/circle,,,,,`),
        row('a', `https://${host}/b,,,,,`),
        row('b', `https://${host}/a,,,,,`),
      );
      const dry = await importFile(world, file, { key, query: 'source=csv&dryRun=true' });
      assert.equal((await world.call('GET', '/v1/links', { key })).body.length, 1);
      const dryRows = await reportOf(world, key, dry.id);
      const real = await importFile(world, file, { key });
      const counts = ({ rows, created, unchanged, conflicts, failed }: typeof real) => ({
        ...{ rows, created, unchanged, conflicts, failed },
      });
      assert.deepEqual(counts(real), counts(dry));
      assert.deepEqual(await reportOf(world, key, real.id), dryRows);
      assert.deepEqual(
        dryRows.map(({ line, outcome, reason }) => `${line} ${outcome} ${reason}`.slice(0, 50)),
        [
          '2 created ',
          '3 unchanged The same as line 2.',
          '4 conflict Line 2 has the same address with other values. Remo',
          '5 conflict A link with this path exists, with another deepLin',
          '6 failed Destination URL is empty.',
          '7 failed path must not begin with console, which belongs to t',
          '8 created ',
          '9 failed iosDestination leads in a circle, over /circle. Set ',
          '10 created ',
          '11 failed iosDestination leads in a circle, over /a and /b. S',
        ].map((text) => text.slice(0, 50)),
      );
      world.clock.advance(1_000);
      assert.equal((await tap(world, '/ended')).status, 410);
    });

    it('the same file again changes nothing', async () => {
      const app = await appWithHost(world);
      const key = app.keys.live;
      const file = tableOf(
        HEADER,
        row('x'),
        row('y', 'https://www.example.com/y,Y,,3,,2030-01-01T00:00:00Z'),
      );
      await importFile(world, file, { key });
      const before = (await world.call('GET', '/v1/links', { key })).body;
      const again = await importFile(world, file.replace(',3,', ',4,'), { key });
      assert.deepEqual([again.created, again.unchanged, again.conflicts, again.error], [0, 2, 0, undefined]);
      assert.deepEqual((await world.call('GET', '/v1/links', { key })).body, before);
    });

    it('without a host of its own an app gets short codes, and what is no code fails', async () => {
      const app = await world.newApp();
      const other = await world.newApp();
      const key = app.keys.live;
      const code = `c-${engine}`;
      await world.newLink(other, { shortCode: `${code}-theirs`, fallbackUrl: 'https://www.example.com/' });
      const deleted = await world.newLink(app, { shortCode: `${code}-deleted` });
      await world.call('DELETE', `/v1/links/${deleted.shortCode}`, { key });
      const rows = [code, `${code}-theirs`, `${code}-deleted`, 'a/b'].map(
        (path) => `https://old.example.com/${path},https://www.example.com/,,,,,`,
      );
      const report = await importFile(world, tableOf(HEADER, ...rows), { key });
      const lines = await reportOf(world, key, report.id);
      assert.deepEqual(
        lines.map(({ outcome, shortUrl }) => [outcome, shortUrl]),
        [
          ['created', `http://links.test/l/${code}`],
          ['conflict', ''],
          ['conflict', ''],
          ['failed', ''],
        ],
      );
      assert.match(lines[1]?.reason ?? '', /is taken/);
      assert.doesNotMatch(lines[1]?.reason ?? '', new RegExp(other.id));
      assert.match(lines[2]?.reason ?? '', /deleted link/);
      assert.match(lines[3]?.reason ?? '', /shortLinkHost/);
      assert.equal((await world.tap(code, { userAgent: DESKTOP })).status, 302);
    });

    it('a link of the app that came up after the judgement wins, and the report says so', async (t) => {
      const app = await appWithHost(world);
      const key = app.keys.live;
      const { store } = world.service;
      const commit = store.commit;
      t.after(() => Object.assign(store, { commit }));
      let isMade = false;
      Object.assign(store, {
        async commit(...given: Parameters<typeof commit>) {
          const isWrite = given[0].some((write) => 'table' in write && write.table === 'links');
          if (isWrite && !isMade) {
            isMade = true;
            await world.newLink(app, { path: 'two', fallbackUrl: 'https://first.example.com' });
          }
          return await commit(...given);
        },
      });
      const report = await importFile(world, tableOf(HEADER, row('one'), row('two')), { key });
      assert.deepEqual([report.status, report.created, report.conflicts], ['completed', 1, 1]);
      const lines = await reportOf(world, key, report.id);
      assert.deepEqual(
        lines.map(({ outcome, shortUrl }) => [outcome, shortUrl !== '']),
        [
          ['created', true],
          ['conflict', false],
        ],
      );
      const { details } = (await world.call('GET', '/v1/audit-log?action=links', { key })).body[0];
      assert.equal(details.created, 1);
    });

    it('is one entry of the audit log, by who asked, and none for a dry run', async () => {
      const app = await appWithHost(world);
      const key = app.keys.live;
      const file = tableOf(HEADER, row('x'), row('y'), row('y', ',,,,,'));
      await importFile(world, file, { key, query: 'source=csv&dryRun=true' });
      const { id } = await importFile(world, file, { key });
      const entries = (await world.call('GET', `/v1/audit-log?resource=${id}`, { key })).body;
      assert.equal(entries.length, 1);
      const [{ action, resource, details }] = entries;
      assert.deepEqual([action, resource.type, details.source], ['links.imported', 'import', 'csv']);
      assert.deepEqual([details.created, details.failed, details.changedBy], [2, 1, 'key']);
      const all = (await world.call('GET', '/v1/audit-log?action=link,links', { key })).body;
      assert.equal(all.length, 1);
    });

    it('a deleted link keeps its address, unless its path was cleared before', async () => {
      const app = await appWithHost(world);
      const key = app.keys.live;
      await importFile(world, tableOf(HEADER, row('kept'), row('freed')), { key });
      for (const { shortCode, path } of (await world.call('GET', '/v1/links', { key })).body) {
        const link = `/v1/links/${shortCode}`;
        if (path === 'freed') await world.call('PATCH', link, { key, body: { path: null } });
        await world.call('DELETE', link, { key });
      }
      const again = await importFile(world, tableOf(HEADER, row('kept'), row('freed')), { key });
      assert.deepEqual([again.created, again.conflicts], [1, 1]);
    });

    it('that is ended keeps the links that are stored, whole, says so, and cannot be ended again', async () => {
      const app = await appWithHost(world);
      const key = app.keys.live;
      const paths = Array.from({ length: 6_000 }, (_, index) => `long/${index}`);
      const file = tableOf(HEADER, ...paths.map((path) => row(path)));
      const { id } = (await startImport(world, file, { key })).body;
      const hasLinks = async () =>
        (await world.call('GET', `/v1/imports/${id}`, { key })).body.created > 0 || undefined;
      await waitFor('the first links', hasLinks, { everyMs: 2 });
      const ended = await world.call('DELETE', `/v1/imports/${id}`, { key });
      assert.deepEqual([ended.status, ended.body.status], [200, 'failed']);
      assert.match(ended.body.error, /ended by an API key/);
      assert.ok(ended.body.created < paths.length);
      // The next import of the app begins at once, and takes nothing from what was stored.
      const again = await importFile(
        world,
        tableOf(HEADER, ...paths.slice(0, 100).map((path) => row(path))),
        { key },
      );
      assert.deepEqual([again.unchanged, again.created], [100, 0]);
      const report = await reportOf(world, key, id);
      const stored = report.filter(({ outcome }) => outcome === 'created').length;
      assert.equal(stored, ended.body.created);
      assertError(await world.call('DELETE', `/v1/imports/${id}`, { key }), 409, 'import.ended');
      for (const other of [app.keys.test, (await world.newApp()).keys.live])
        assert.equal((await world.call('DELETE', `/v1/imports/${id}`, { key: other })).status, 404);
      const [entry] = (await world.call('GET', '/v1/audit-log?action=import.ended', { key })).body;
      assert.deepEqual([entry.resource.id, entry.details.source], [id, 'csv']);
    });

    it('with a test key makes sandbox links, and neither changes nor shows live ones', async () => {
      const app = await appWithHost(world);
      const live = await world.newLink(app, { path: 'live', fallbackUrl: 'https://secret.example.com' });
      const key = app.keys.test;
      const report = await importFile(world, tableOf(HEADER, row('mine'), row('live')), { key });
      assert.deepEqual([report.created, report.conflicts], [1, 1]);
      const [, conflict] = await reportOf(world, key, report.id);
      assert.match(conflict?.reason ?? '', /^This path is taken/);
      const links = (await world.call('GET', '/v1/links', { key })).body;
      assert.deepEqual(
        links.map(({ path, sandbox }: { path: string; sandbox: boolean }) => [path, sandbox]),
        [['mine', true]],
      );
      const { id } = await importFile(world, tableOf(HEADER, row('other')), { key: app.keys.live });
      assert.equal((await world.call('GET', `/v1/imports/${id}`, { key })).status, 404);
      assert.ok(live.id);
    });

    it('more than a part: every row is in the report once, in order, and every link is stored', async () => {
      const app = await appWithHost(world);
      const key = app.keys.live;
      const paths = Array.from({ length: 1_300 }, (_, index) => `many/${(index * 7) % 1_300}`);
      const report = await importFile(world, tableOf(HEADER, ...paths.map((path) => row(path))), { key });
      assert.deepEqual([report.rows, report.created], [1_300, 1_300]);
      const lines = await reportOf(world, key, report.id);
      assert.deepEqual(
        lines.map(({ oldAddress }) => oldAddress),
        paths.map((path) => `${host}/${path}`),
      );
      const { count } = await world.service.db
        .selectFrom('links')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('app_id', '=', app.id)
        .executeTakeFirstOrThrow();
      assert.equal(Number(count), 1_300);
    });

    it('an import whose process has ended fails, says what to do, and can be repeated', async () => {
      const app = await appWithHost(world);
      const key = app.keys.live;
      const id = '01900000-0000-7000-8000-0000000000aa';
      const now = new Date(world.clock.nowMs()).toISOString();
      await world.service.db
        .insertInto('imports')
        .values({
          ...{ app_id: app.id, id, source: 'csv', dry_run: 0, sandbox: 0, status: 'running' },
          ...{ owner: '01900000-0000-7000-8000-0000000000bb', alive_until: now, created_at: now },
          ...{ judged_rows: 5, created: 2, unchanged: 1 },
        })
        .execute();
      world.clock.advance(1_000);
      const { body } = await world.call('GET', `/v1/imports/${id}`, { key });
      assert.deepEqual([body.status, body.created, body.failed], ['failed', 2, 2]);
      assert.match(body.error, /Import the same file again/);
      const report = await importFile(world, tableOf(HEADER, row('x')), { key });
      assert.equal(report.created, 1);
    });

    it('reports are dropped after their time, and links stay', async () => {
      const app = await appWithHost(world);
      const key = app.keys.live;
      const { id } = await importFile(world, tableOf(HEADER, row('x')), { key });
      const beforeMs = world.clock.nowMs() + 1;
      while ((await dropOldImports(world.service.db, app.id, { beforeMs, limit: 1 })) > 0);
      assert.equal((await world.call('GET', `/v1/imports/${id}`, { key })).status, 404);
      assert.equal((await world.call('GET', '/v1/links', { key })).body.length, 1);
    });
  });
