import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import {
  type ClickRow,
  NEW_CLICK_COLUMNS,
  type NewClick,
  toJournalRow,
} from '../../../src/click-log/click.ts';
import { encodeBatch } from '../../../src/click-log/journal/segment.ts';
import { DAY_MS, isoTime, SECOND_MS } from '../../../src/lib/clock.ts';
import { engines } from '../../helpers/engines.ts';
import { queryStored } from '../../helpers/stored.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { DESKTOP, freshAddress, PIXEL, useWorld } from '../../helpers/world.ts';

/** A stored click as a row of the journal. */
const journalRow = (row: ClickRow | undefined, change: Partial<ClickRow> = {}): string =>
  toJournalRow({ ...row, ...change } as NewClick);

const PLAY = { androidDestination: 'https://play.google.com/store/apps/details?id=com.example' };

for (const engine of engines)
  describe(`click log on ${engine}`, () => {
    const world = useWorld(engine);

    async function clicksOf(appId: string) {
      await world.service.clickLog.applied();
      const { db } = world.service;
      return await db.selectFrom('clicks').selectAll().where('app_id', '=', appId).orderBy('id').execute();
    }

    it('headers are truncated to 1,024 and 255 bytes, in whole characters', async () => {
      const app = await world.newApp();
      const link = await world.newLink(app, PLAY);
      for (const character of ['x', 'é'])
        await world.tap(link.shortCode, {
          userAgent: `a${character.repeat(2_000)}`,
          headers: { 'accept-language': character.repeat(2_000) },
        });
      assert.deepEqual(
        (await clicksOf(app.id)).map((click) => [click.user_agent, click.accept_language]),
        [
          [`a${'x'.repeat(1_023)}`, 'x'.repeat(255)],
          [`a${'é'.repeat(511)}`, 'é'.repeat(127)],
        ],
      );
    });

    it('what a visitor sends takes at most 1 KiB beside the headers, without control characters', async () => {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app, PLAY);
      const query = `utm_source=mail%07&x=${'%01'.repeat(1_300)}&y=${'%22'.repeat(1_000)}`;
      await world.tap(`${shortCode}?${query}`, {
        headers: { 'user-agent': `Phone\u0085 ${'x'.repeat(2_000)}`, 'accept-language': 'de\t,en\u009f' },
      });
      const [click] = await clicksOf(app.id);
      assert.equal(JSON.parse(click?.utm ?? '{}').source, 'mail');
      assert.deepEqual(JSON.parse(click?.query ?? '{}'), { utm_source: 'mail', x: '' });
      assert.doesNotMatch(`${click?.user_agent}${click?.accept_language}`, /\p{Cc}/u);
      assert.equal(click?.accept_language, 'de,en');
    });

    it('a click has the data of the request, and the address only as a hash', async () => {
      const app = await world.newApp();
      const link = await world.newLink(app, { ...PLAY, campaignId: 'spring' });
      const from = freshAddress();
      const clickId = await world.clickId(link.shortCode, { from });
      const [click] = await clicksOf(app.id);
      assert.deepEqual(
        // SQLite assigns `arrival`.
        { ...click, clicked_at: null, arrival: null },
        {
          arrival: null,
          app_id: app.id,
          id: clickId,
          link_id: link.id,
          campaign_id: 'spring',
          sandbox: 0,
          visitor: 'human',
          visitor_reason: 'user-agent:browser',
          platform: 'ANDROID',
          ip_hash: world.service.secrets.hashAddress(app.id, from),
          user_agent: PIXEL,
          accept_language: 'en-US,en;q=0.9',
          device_model: null,
          fingerprint: null,
          signals_at: null,
          clicked_at: null,
          claimed_by_install: null,
          claimed_by_open: null,
          rule_id: null,
          path_rest: null,
          country: click?.country,
          referrer: null,
          utm: null,
          query: null,
          erased: null,
          erased_at: null,
        },
      );
      assert.ok(!JSON.stringify(click).includes(from));
      assert.match(click?.clicked_at ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    });

    it('special characters of the journal and the database are stored unchanged', async () => {
      const app = await world.newApp();
      await world.clickId((await world.newLink(app, PLAY)).shortCode);
      const [click] = await clicksOf(app.id);
      const { clickLog, ids } = world.service;
      const texts = ['\\N', '\\.', '', 'a\tb\nc\rd\\e', '\\t\\n', '"{},\'', 'ünïcödé 📱'];
      for (const text of texts)
        await clickLog.record({
          ...(click as ClickRow),
          id: ids.next(),
          user_agent: text,
          campaign_id: text,
        });
      const stored = (await clicksOf(app.id)).slice(1);
      assert.deepEqual(
        stored.map(({ user_agent, campaign_id }) => [user_agent, campaign_id]),
        texts.map((text) => [text, text]),
      );
    });

    it('clicks left in the journal by a crash are applied once at the next start', async () => {
      const app = await world.newApp();
      const link = await world.newLink(app, PLAY);
      const applied = await world.clickId(link.shortCode);
      const [row] = await clicksOf(app.id);
      const left = world.service.ids.next();
      await world.close();
      const batch = encodeBatch([journalRow(row), journalRow(row, { id: left })]);
      writeFileSync(join(world.place.dataDir, 'journal', 'clicks-000000000900.journal'), batch);

      await world.open();
      assert.deepEqual(
        (await clicksOf(app.id)).map(({ id }) => id),
        [applied, left].sort(),
      );
      assert.ok(!readdirSync(join(world.place.dataDir, 'journal')).includes('refused.tsv'));
    });

    it('a shorter journal row of an older version is stored with nulls', async () => {
      const app = await world.newApp();
      const link = await world.newLink(app, PLAY);
      const headers = { 'sec-ch-ua-model': '"Pixel 8"', 'sec-ch-ua-platform-version': '"14.0.0"' };
      await world.clickId(link.shortCode, { headers });
      const [row] = await clicksOf(app.id);
      const { ids } = world.service;
      const [whole, old] = [journalRow(row, { id: ids.next() }), journalRow(row, { id: ids.next() })];
      await world.close();
      // Without the first column that was added.
      const short = old.split('\t').slice(0, NEW_CLICK_COLUMNS.indexOf('visitor_reason')).join('\t');
      const path = join(world.place.dataDir, 'journal', 'clicks-000000000800.journal');
      writeFileSync(path, encodeBatch([whole, short]));

      await world.open();
      assert.deepEqual(
        (await clicksOf(app.id)).map((click) => [
          click.visitor,
          click.visitor_reason,
          click.device_model,
          click.fingerprint,
        ]),
        [
          ['human', 'user-agent:browser', 'Pixel 8', '{"platformVersion":"14.0.0"}'],
          ['human', 'user-agent:browser', 'Pixel 8', '{"platformVersion":"14.0.0"}'],
          ['human', null, null, null],
        ],
      );
    });

    it('while the disk is not writable, visitors are redirected without a click ID and the loss is reported', async () => {
      const app = await world.newApp();
      const link = await world.newLink(app, PLAY);
      await world.close();
      await world.open();
      const journal = join(world.place.dataDir, 'journal');
      rmSync(journal, { recursive: true });

      const { status, headers } = await world.tap(link.shortCode, { userAgent: PIXEL });
      assert.equal(status, 302);
      assert.equal(headers.location, PLAY.androidDestination);
      const unready = await world.call('GET', '/readyz');
      assert.equal(unready.status, 503);
      assert.deepEqual(unready.body.checks.clicks, {
        ok: false,
        lost: 1,
        journalBytes: 0,
        damagedSegments: 0,
        failingApps: 0,
        reason: 'Clicks cannot be written to DATA_DIR. The log has the cause.',
      });
      const metrics = await world.call('GET', '/metrics', {
        headers: { authorization: `Bearer ${world.service.dataDir.adminToken}` },
      });
      assert.match(metrics.text, /throughline_clicks_lost_total 1/);

      mkdirSync(journal);
      assert.equal((await world.call('GET', '/readyz')).status, 200);
      assert.equal((await world.clickId(link.shortCode)).length, 36);
      assert.equal((await clicksOf(app.id)).length, 1);
    });

    it('a click that the database rejects is moved to a file, and the others are applied', async () => {
      const app = await world.newApp();
      const link = await world.newLink(app, { fallbackUrl: 'https://example.com/' });
      await world.tap(link.shortCode, { userAgent: DESKTOP });
      const [row] = await clicksOf(app.id);
      await world.close();
      const good = '01a1f88f-e5b7-7d62-aa89-c51860d95758';
      const rows = [journalRow(row, { link_id: null as never }), journalRow(row, { id: good })];
      const journal = join(world.place.dataDir, 'journal');
      writeFileSync(join(journal, 'clicks-000000000901.journal'), encodeBatch(rows));

      await world.open();
      assert.ok((await clicksOf(app.id)).some(({ id }) => id === good));
      assert.equal(readFileSync(join(journal, 'refused.tsv'), 'utf8'), `${rows[0]}\n`);
    });

    it('rejected clicks contain no data of an erased person after a start', async () => {
      const app = await world.newApp();
      const link = await world.newLink(app, { fallbackUrl: 'https://example.com/' });
      const [marker, ipAddress] = ['Phone of an erased person', freshAddress()];
      await world.tap(link.shortCode, { userAgent: marker, from: ipAddress });
      const [row] = await clicksOf(app.id);
      const key = app.keys.live;
      const accepted = await world.call('POST', '/v1/privacy/erase', { key, body: { ipAddress } });
      const path = `/v1/privacy/erase/${accepted.body.requestIds[0]}`;
      await waitFor('completed', async () =>
        (await world.call('GET', path, { key })).body.status === 'completed' ? true : undefined,
      );
      await world.close();
      const journal = join(world.place.dataDir, 'journal');
      const batch = encodeBatch([journalRow(row, { link_id: null as never })]);
      writeFileSync(join(journal, 'clicks-000000000902.journal'), batch);

      await world.open();
      await clicksOf(app.id);
      const refused = readFileSync(join(journal, 'refused.tsv'), 'utf8');
      assert.match(refused, new RegExp(app.id));
      assert.ok(!refused.includes(marker) && !refused.includes(String(row?.ip_hash)), refused);

      await world.close();
      const before = journalRow(row);
      writeFileSync(join(journal, 'refused.tsv'), `${before}\n${before.slice(0, -1)}`);
      await world.open();
      assert.equal(readFileSync(join(journal, 'refused.tsv'), 'utf8').split(String(row?.id)).length, 2);
      assert.ok(!readFileSync(join(journal, 'refused.tsv'), 'utf8').includes(marker));
    });

    it('duplicates and incomplete lines of rejected clicks are removed at the next start', async () => {
      const app = await world.newApp();
      await world.clickId((await world.newLink(app, PLAY)).shortCode);
      const [row] = await clicksOf(app.id);
      await world.close();
      const whole = journalRow(row);
      const file = join(world.place.dataDir, 'journal', 'refused.tsv');
      for (const lengthOfTime of [0, '2026-11-23T07:1'.length]) {
        const cut = whole.slice(0, whole.indexOf(String(row?.clicked_at)) + lengthOfTime);
        writeFileSync(file, `${whole}\n${cut}\n${whole}\n`);
        await world.open();
        assert.equal(readFileSync(file, 'utf8'), `${whole}\n`);
        await world.close();
      }
      rmSync(file);
      await world.open();
    });

    it('a stopping process stays registered until its clicks are applied', {
      skip: engine === 'sqlite' && 'needs several processes on one database',
    }, async () => {
      const app = await world.newApp();
      const link = await world.newLink(app, PLAY);
      await world.clickId(link.shortCode);
      await clicksOf(app.id);
      const journals = () => queryStored(world.place, 'select id from journals');
      const other = new pg.Client({ connectionString: world.place.databaseUrl ?? '' });
      await other.connect();
      await other.query('begin; lock table clicks in exclusive mode');
      await world.tap(link.shortCode);
      const closed = world.close();
      await sleep(SECOND_MS);
      assert.equal((await journals()).length, 1);
      await other.end();
      await closed;
      assert.deepEqual(await journals(), []);
      await world.open();
      assert.equal((await clicksOf(app.id)).length, 2);
    });

    it('a click older than the retention period is stored without personal data', async () => {
      const app = await world.newApp();
      await world.clickId((await world.newLink(app, PLAY)).shortCode);
      const [row] = await clicksOf(app.id);
      const { ids, clock, config } = world.service;
      const left = [config.clickRetentionDays + 1, config.clickRetentionDays - 1].map((days) =>
        journalRow(row, { id: ids.next(), clicked_at: isoTime(clock.nowMs() - days * DAY_MS) }),
      );
      await world.close();
      const path = join(world.place.dataDir, 'journal', 'clicks-000000000903.journal');
      writeFileSync(path, encodeBatch(left));
      await world.open();
      const [, old, young] = await clicksOf(app.id);
      assert.deepEqual([old?.ip_hash, old?.user_agent, old?.accept_language], [null, null, null]);
      assert.deepEqual([young?.ip_hash, young?.user_agent], [row?.ip_hash, PIXEL]);
    });

    it('a flush fails while an applied segment cannot be removed', async () => {
      const app = await world.newApp();
      const link = await world.newLink(app, PLAY);
      const { clickLog } = world.service;
      const flush = () => clickLog.flush(async () => undefined);
      await flush();
      await world.clickId(link.shortCode);
      await clickLog.applied();
      const directory = join(world.place.dataDir, 'journal');
      const [file = ''] = readdirSync(directory).filter(
        (name) => readFileSync(join(directory, name))[0] !== 0,
      );
      const [path, aside] = [join(directory, file), join(world.place.dataDir, 'aside')];
      renameSync(path, aside);
      mkdirSync(path);
      await assert.rejects(flush(), /EISDIR|directory/);

      rmSync(path, { recursive: true });
      renameSync(aside, path);
      await flush();
      assert.equal(existsSync(path), false);
    });

    it('after a stop all clicks are in the database and the journal is empty', async () => {
      const app = await world.newApp();
      const link = await world.newLink(app, PLAY);
      await Promise.all(Array.from({ length: 50 }, () => world.tap(link.shortCode)));
      await world.close();
      assert.deepEqual(
        readdirSync(join(world.place.dataDir, 'journal')).filter((name) => name.endsWith('.journal')),
        [],
      );
      await world.open();
      assert.equal((await clicksOf(app.id)).length, 50);
    });
  });
