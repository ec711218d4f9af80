import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, it } from 'node:test';
import type { ClickRow, NewClick } from '../../../src/click-log/click.ts';
import { toJournalRow } from '../../../src/click-log/click.ts';
import { DamagedSegments } from '../../../src/click-log/damaged-segments.ts';
import { encodeBatch } from '../../../src/click-log/journal/segment.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../../src/lib/clock.ts';
import { engines } from '../../helpers/engines.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { freshAddress, useWorld } from '../../helpers/world.ts';

const PLAY = { androidDestination: 'https://play.google.com/store/apps/details?id=com.example' };

for (const engine of engines)
  describe(`a damaged segment of the click journal on ${engine}`, () => {
    const world = useWorld(engine);
    const journal = () => join(world.place.dataDir, 'journal');
    const kept = () => readdirSync(journal()).filter((name) => name.endsWith('.damaged'));

    async function clicksOf(appId: string): Promise<ClickRow[]> {
      const { db, clickLog } = world.service;
      await clickLog.applied();
      return await db.selectFrom('clicks').selectAll().where('app_id', '=', appId).orderBy('id').execute();
    }

    /** Restarts the service with a segment of three batches; the second has a flipped bit. */
    async function startWithDamage(row: ClickRow): Promise<{ readonly ids: readonly string[] }> {
      const ids = [1, 2, 3].map(() => world.service.ids.next());
      await world.close();
      const rows = ids.map((id) => encodeBatch([toJournalRow({ ...row, id } as NewClick)]));
      const segment = Buffer.concat(rows);
      const middle = Math.floor(segment.length / 2);
      segment.writeUInt8(segment.readUInt8(middle) ^ 4, middle);
      writeFileSync(join(journal(), 'clicks-000000000900.journal'), segment);
      await world.open();
      return { ids };
    }

    it('loses only the damaged batch; the loss is counted and the file kept', async () => {
      const app = await world.newApp();
      await world.clickId((await world.newLink(app, PLAY)).shortCode);
      const [row] = await clicksOf(app.id);
      const { ids } = await startWithDamage(row as ClickRow);
      assert.deepEqual(
        (await clicksOf(app.id)).map(({ id }) => id),
        [row?.id, ids[0], ids[2]],
      );
      await waitFor('the segment to be kept', () => (kept().length > 0 ? true : undefined));
      assert.deepEqual(kept(), ['clicks-000000000900.damaged']);
      const ready = await world.call('GET', '/readyz');
      const { ok, lost, damagedSegments } = ready.body.checks.clicks;
      assert.deepEqual([ready.status, ok, lost, damagedSegments], [200, true, 1, 1]);
      const metrics = await world.call('GET', '/metrics', {
        headers: { authorization: `Bearer ${world.service.dataDir.adminToken}` },
      });
      assert.match(metrics.text, /throughline_clicks_lost_total 1\n/);
      assert.match(metrics.text, /throughline_click_journal_damaged_segments 1\n/);
      await world.service.clickLog.flush(async () => undefined);
    });

    it('is removed by an erasure', async () => {
      const app = await world.newApp();
      const key = app.keys.live;
      const [userAgent, ipAddress] = ['Phone of a person to be erased', freshAddress()];
      const link = await world.newLink(app, { fallbackUrl: 'https://example.com/' });
      await world.tap(link.shortCode, { userAgent, from: ipAddress });
      const [row] = await clicksOf(app.id);
      await startWithDamage(row as ClickRow);
      const [name = ''] = await waitFor('the segment to be kept', () =>
        kept().length > 0 ? kept() : undefined,
      );
      assert.ok(readFileSync(join(journal(), name)).includes(userAgent));
      const accepted = await world.call('POST', '/v1/privacy/erase', { key, body: { ipAddress } });
      const path = `/v1/privacy/erase/${accepted.body.requestIds[0]}`;
      await waitFor('completed', async () =>
        (await world.call('GET', path, { key })).body.status === 'completed' ? true : undefined,
      );
      assert.deepEqual(kept(), []);
    });

    it('is removed after an erasure, after 30 days, and beyond the newest 16', async () => {
      const app = await world.newApp();
      const { service } = world;
      const damaged = new DamagedSegments(journal());
      const write = (number: number, writtenAtMs: number) => {
        const path = join(journal(), `clicks-${String(number).padStart(12, '0')}.damaged`);
        writeFileSync(path, 'x');
        utimesSync(path, writtenAtMs / SECOND_MS, writtenAtMs / SECOND_MS);
        return path;
      };
      // Erasures of other tests would remove the file too.
      await service.db.deleteFrom('erased_addresses').execute();
      const nowMs = service.clock.nowMs();
      const old = write(1, nowMs - 31 * DAY_MS);
      const young = write(2, nowMs + HOUR_MS);
      await damaged.tidy(service);
      assert.deepEqual([existsSync(old), existsSync(young)], [false, true]);

      const erased = write(3, nowMs - HOUR_MS);
      await service.db
        .insertInto('erased_addresses')
        .values({
          app_id: app.id,
          address_mark: 'x',
          sandbox_only: 0,
          erased_until: new Date(nowMs).toISOString(),
        })
        .execute();
      await damaged.tidy(service);
      assert.deepEqual([existsSync(erased), existsSync(young)], [false, true]);

      for (let number = 10; number < 26; number++) write(number, nowMs + HOUR_MS);
      await damaged.tidy(service);
      const names = (await damaged.list()).map((path) => basename(path));
      assert.equal(names.length, 16);
      assert.equal(names[0], 'clicks-000000000010.damaged');
      await damaged.removeAll(service);
      assert.deepEqual(kept(), []);
    });
  });
