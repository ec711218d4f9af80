import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type RootOperationNode, TableNode } from 'kysely';
import type { Service } from '../../../src/app.ts';
import { type Db, insertMany } from '../../../src/db/index.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../../src/lib/clock.ts';
import { createLinkDirectory, type LinkDirectory } from '../../../src/links/look-up/link-directory.ts';
import { engines } from '../../helpers/engines.ts';
import { connectionRefused, failing, noting } from '../../helpers/statements.ts';
import { DESKTOP, type TestApp, useWorld } from '../../helpers/world.ts';

for (const engine of engines)
  describe(`the link directory on ${engine}`, () => {
    const world = useWorld(engine);
    const destinationOf = async (code: string) =>
      (await world.tap(code, { userAgent: DESKTOP })).headers.location;

    const newCode = async (app: TestApp, fallbackUrl?: string) =>
      (await world.newLink(app, fallbackUrl === undefined ? {} : { fallbackUrl })).shortCode;

    /** Bypasses the service, so that the revision does not change. */
    const changeUnseen = async (app: TestApp, fallback_url: string) =>
      await world.service.db
        .updateTable('links')
        .set({ fallback_url })
        .where('app_id', '=', app.id)
        .execute();

    /** A directory of another process with a warm cache, and the queries it runs from now on. */
    async function warmDirectory(codes: readonly string[]) {
      const queries: RootOperationNode[] = [];
      const { service } = world;
      const directory = createLinkDirectory({ ...service, db: noting(service.db, queries) });
      await warmUp(directory, codes);
      queries.length = 0;
      return { directory, queries };
    }

    async function warmUp(directory: LinkDirectory, codes: readonly string[]): Promise<void> {
      for (let second = 0; second < 4; second++) {
        for (const code of codes) await directory.resolve(code);
        world.clock.advance(SECOND_MS);
      }
    }

    it('a change applies to the next tap', async () => {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app, { fallbackUrl: 'https://example.com/1' });
      for (let turn = 1; turn <= 5; turn++) {
        assert.equal(await destinationOf(shortCode), `https://example.com/${turn}`);
        const body = { fallbackUrl: `https://example.com/${turn + 1}` };
        const [patched] = await Promise.all([
          world.call('PATCH', `/v1/links/${shortCode}`, { key: app.keys.live, body }),
          ...Array.from({ length: 5 }, () => destinationOf(shortCode)),
        ]);
        assert.equal(patched.status, 200);
      }
    });

    it('a code works as soon as its link is created, even right after a failed lookup', async () => {
      const app = await world.newApp();
      assert.equal((await world.tap('not-there-yet')).status, 404);
      await world.newLink(app, { shortCode: 'not-there-yet', fallbackUrl: 'https://example.com/' });
      assert.equal((await world.tap('not-there-yet', { userAgent: DESKTOP })).status, 302);
    });

    it('a link has the defaults of its app, and a change of these applies within a second', async () => {
      const app = await world.newApp({ fallbackUrl: 'https://example.com/app' });
      const { shortCode } = await world.newLink(app);
      assert.equal(await destinationOf(shortCode), 'https://example.com/app');
      await world.admin('PATCH', `/apps/${app.id}`, { fallbackUrl: 'https://example.com/new' });
      world.clock.advance(SECOND_MS);
      assert.equal(await destinationOf(shortCode), 'https://example.com/new');
    });

    it('a link has its own landing page or the app’s, and the app’s data for pages', async () => {
      const { service } = world;
      const app = await world.newApp({
        name: 'Shop',
        ...{ landingPage: 'never', clipboardToken: true, shortLinkHost: `${engine}.pages.test` },
        ...{ urlScheme: 'shop', androidPackage: 'com.example.shop' },
      });
      const own = await world.newLink(app, { landingPage: 'always' });
      const plain = await world.newLink(app);
      const directory = createLinkDirectory(service);
      const resolved = await directory.resolve(own.shortCode);
      assert.equal(resolved?.landingPage, 'always');
      assert.equal((await directory.resolve(plain.shortCode))?.landingPage, 'never');
      assert.equal(resolved?.shortUrl, own.shortUrl);
      assert.deepEqual(resolved?.app, {
        name: 'Shop',
        urlScheme: 'shop',
        androidPackage: 'com.example.shop',
        clipboardToken: true,
      });
    });

    it('concurrent taps reload all links of an app by one statement', async () => {
      const { service } = world;
      const apps = [await world.newApp(), await world.newApp()];
      const codes: string[] = [];
      for (const app of [...apps, ...apps, ...apps]) {
        const { shortCode } = await world.newLink(app, {
          fallbackUrl: `https://example.com/${codes.length}`,
        });
        codes.push(shortCode);
      }
      const queries: RootOperationNode[] = [];
      const directory = createLinkDirectory({ ...service, db: noting(service.db, queries) });
      const resolveAll = async () => {
        const links = await Promise.all(codes.map((code) => directory.resolve(code)));
        return links.map((link) => link?.fallbackUrl);
      };
      const expected = codes.map((_, place) => `https://example.com/${place}`);
      assert.deepEqual(await resolveAll(), expected);

      const changed = codes.at(-1) ?? '';
      const body = { fallbackUrl: 'https://example.com/changed' };
      await world.call('PATCH', `/v1/links/${changed}`, { key: apps[1]?.keys.live ?? '', body });
      await world.call('DELETE', `/v1/links/${codes[0]}`, { key: apps[0]?.keys.live ?? '' });
      world.clock.advance(SECOND_MS);
      queries.length = 0;
      assert.deepEqual(await resolveAll(), [undefined, ...expected.slice(1, -1), body.fallbackUrl]);
      assert.deepEqual(tablesOf(queries).toSorted(), ['apps', 'apps', 'links', 'links']);
    });

    it('unchanged links are not read again: reading the revision of their app is enough', async () => {
      const app = await world.newApp({ fallbackUrl: 'https://example.com/' });
      const codes = await Promise.all(Array.from({ length: 5 }, async () => await newCode(app)));
      const { directory, queries } = await warmDirectory(codes);
      for (let second = 0; second < 50; second++) {
        world.clock.advance(SECOND_MS);
        for (const code of codes) assert.notEqual(await directory.resolve(code), null);
      }
      assert.deepEqual(new Set(tablesOf(queries)), new Set(['apps']));
      assert.ok(queries.length <= 50);
    });

    it('a change by another process is visible within a second', async () => {
      const app = await world.newApp({ fallbackUrl: 'https://example.com/app' });
      const key = app.keys.live;
      const [plain, own, gone] = [await newCode(app), await newCode(app), await newCode(app)];
      const { directory } = await warmDirectory([plain, own, gone]);
      const resolveAll = async () => {
        const links = await Promise.all([plain, own, gone].map((code) => directory.resolve(code)));
        return links.map((link) => link?.fallbackUrl);
      };
      const before = ['https://example.com/app', 'https://example.com/app', 'https://example.com/app'];
      assert.deepEqual(await resolveAll(), before);
      await world.call('PATCH', `/v1/links/${own}`, {
        key,
        body: { fallbackUrl: 'https://example.com/own' },
      });
      world.clock.advance(SECOND_MS);
      assert.deepEqual(await resolveAll(), before.with(1, 'https://example.com/own'));
      await world.call('DELETE', `/v1/links/${gone}`, { key });
      world.clock.advance(SECOND_MS);
      assert.deepEqual(await resolveAll(), [before[0], 'https://example.com/own', undefined]);
      await world.admin('PATCH', `/apps/${app.id}`, { fallbackUrl: 'https://example.com/new' });
      world.clock.advance(SECOND_MS);
      assert.deepEqual(await resolveAll(), ['https://example.com/new', 'https://example.com/own', undefined]);
    });

    it('a link read right after a change is read again, since its node may commit later on a cluster', async () => {
      const app = await world.newApp({ fallbackUrl: 'https://example.com/' });
      const code = await newCode(app);
      const { directory } = await warmDirectory([code]);
      const { db } = world.service;
      await db.updateTable('apps').set({ links_revision: 1_000 }).where('id', '=', app.id).execute();
      world.clock.advance(SECOND_MS);
      assert.equal((await directory.resolve(code))?.fallbackUrl, 'https://example.com/');
      await changeUnseen(app, 'https://example.com/late');
      world.clock.advance(SECOND_MS);
      assert.equal((await directory.resolve(code))?.fallbackUrl, 'https://example.com/late');
    });

    it('a change made directly in the database is visible within a minute', async () => {
      const app = await world.newApp({ fallbackUrl: 'https://example.com/' });
      const code = await newCode(app);
      const { directory } = await warmDirectory([code]);
      await changeUnseen(app, 'https://example.com/by-hand');
      world.clock.advance(MINUTE_MS);
      assert.equal((await directory.resolve(code))?.fallbackUrl, 'https://example.com/by-hand');
    });

    it('a change during a read is visible', async () => {
      const app = await world.newApp();
      const code = await newCode(app, 'https://example.com/0');
      const { directory } = await warmDirectory([code]);
      for (let turn = 1; turn <= 20; turn++) {
        const body = { fallbackUrl: `https://example.com/${turn}` };
        world.clock.advance(SECOND_MS);
        await Promise.all([
          directory.resolve(code),
          world.call('PATCH', `/v1/links/${code}`, { key: app.keys.live, body }),
          directory.resolve(code),
        ]);
        world.clock.advance(SECOND_MS);
        assert.equal((await directory.resolve(code))?.fallbackUrl, body.fallbackUrl);
      }
    });

    it('while the database is unavailable, a cached unknown code does not get 404', async () => {
      const app = await world.newApp();
      const { service } = world;
      let isAway = false;
      const db = failing(service.db, () => (isAway ? connectionRefused() : null));
      const ofAnotherProcess = createLinkDirectory({ ...service, db });
      const code = `summer-${engine}`;
      assert.equal(await ofAnotherProcess.resolve(code), null);
      await world.newLink(app, { shortCode: code });
      isAway = true;
      world.clock.advance(SECOND_MS);
      await assert.rejects(async () => await ofAnotherProcess.resolve(code), {
        code: 'database.unavailable',
      });
      isAway = false;
      assert.equal((await ofAnotherProcess.resolve(code))?.appId, app.id);
    });

    it('a cached link is served if reading fails for any reason', async () => {
      const app = await world.newApp({ fallbackUrl: 'https://example.com/' });
      const code = await newCode(app);
      const { service } = world;
      let isBroken = false;
      const db = failing(service.db, () =>
        isBroken ? Object.assign(new Error('permission denied for table apps'), { code: '42501' }) : null,
      );
      const directory = createLinkDirectory({ ...service, db });
      await warmUp(directory, [code]);
      isBroken = true;
      world.clock.advance(MINUTE_MS);
      assert.equal((await directory.resolve(code))?.fallbackUrl, 'https://example.com/');
      await assert.rejects(async () => await directory.resolve('not-known'), { code: '42501' });
    });

    it('a hanging read of the revision delays neither uncached links nor, for long, a change', async () => {
      const app = await world.newApp({ fallbackUrl: 'https://example.com/' });
      const [first, second, notKnown] = [await newCode(app), await newCode(app), await newCode(app)];
      const db = hanging(world.service.db);
      const directory = createLinkDirectory({ ...world.service, db: db.once });
      await warmUp(directory, [first, second]);
      db.hang();
      assert.equal((await directory.resolve(first))?.fallbackUrl, 'https://example.com/');
      assert.equal((await directory.resolve(notKnown))?.fallbackUrl, 'https://example.com/');
      const body = { fallbackUrl: 'https://example.com/new' };
      await world.call('PATCH', `/v1/links/${second}`, { key: app.keys.live, body });
      await new Promise((resolve) => setTimeout(resolve, SECOND_MS));
      assert.equal((await directory.resolve(second))?.fallbackUrl, body.fallbackUrl);
    });

    it('the cache is bounded by size and keeps the links tapped last', async () => {
      const app = await world.newApp();
      const address = `https://example.com/${'a'.repeat(2_000)}`;
      const { shortCode } = await world.newLink(app, {
        deepLinkParams: { text: 'a'.repeat(16_000) },
        ...{ iosDestination: address, androidDestination: address, fallbackUrl: address },
      });
      const codes = await copyLink(world.service, shortCode, 3_300);
      // Stopped, so that no entry expires.
      const clock = { ...world.service.clock, nowMs: () => Date.parse('2026-11-22T00:00:00.000Z') };
      const queries: RootOperationNode[] = [];
      const directory = createLinkDirectory({
        ...world.service,
        db: noting(world.service.db, queries),
        clock,
      });
      for (const code of codes) await directory.resolve(code);
      queries.length = 0;
      let known = -1;
      for (const code of codes.toReversed()) {
        known += 1;
        await directory.resolve(code);
        if (queries.length > 0) break;
      }
      assert.ok(known > 2_500 && known < 3_100, `${known} of ${codes.length}`);
    });

    it('the cache of unknown codes does not retain the request URLs', async () => {
      const directory = createLinkDirectory(world.service);
      const beforeBytes = heapBytes();
      for (let n = 0; n < 1_000; n++) {
        const address = Buffer.from(`/l/unknown-code-${n}?${'x'.repeat(15_000)}`).toString('latin1');
        await directory.resolve(address.slice('/l/'.length, address.indexOf('?')));
      }
      const grownBytes = heapBytes() - beforeBytes;
      assert.equal(await directory.resolve('unknown-code-1'), null);
      assert.ok(grownBytes < 5_000_000, `${grownBytes} bytes for 1,000 codes`);
    });

    it('a change is visible after the clock was set back', async () => {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app, { fallbackUrl: 'https://example.com/old' });
      const ofAnotherProcess = createLinkDirectory(world.service);
      assert.equal((await ofAnotherProcess.resolve(shortCode))?.fallbackUrl, 'https://example.com/old');
      const body = { fallbackUrl: 'https://example.com/new' };
      await world.call('PATCH', `/v1/links/${shortCode}`, { key: app.keys.live, body });
      world.clock.advance(-60 * SECOND_MS);
      assert.equal((await ofAnotherProcess.resolve(shortCode))?.fallbackUrl, 'https://example.com/new');
      world.clock.advance(60 * SECOND_MS);
    });

    it('an expired link returns 410 or redirects to its fallback, and records no click', async () => {
      const app = await world.newApp();
      const plain = await world.newLink(app, { expiresInDays: 1 });
      const withFallback = await world.newLink(app, {
        expiresInDays: 1,
        fallbackUrl: 'https://example.com/over',
      });
      world.clock.advance(2 * DAY_MS);
      assert.equal((await world.tap(plain.shortCode)).status, 410);
      assert.equal(await destinationOf(withFallback.shortCode), 'https://example.com/over');
      await world.service.clickLog.applied();
      const { db } = world.service;
      assert.deepEqual(await db.selectFrom('clicks').select('id').where('app_id', '=', app.id).execute(), []);
    });

    it('without a destination a browser gets a page, with the link’s values escaped', async () => {
      const app = await world.newApp();
      const html = { accept: 'text/html' };
      const iosDestination = 'https://example.com/?q="><script>alert(1)</script>';
      const link = await world.newLink(app, { iosDestination });
      const landing = await world.tap(link.shortCode, { userAgent: DESKTOP, headers: html });
      assert.equal(landing.status, 200);
      assert.equal(landing.text.match(/<script>/g)?.length, 1);
      assert.ok(!landing.text.includes('alert(1)</script>'));
      assert.match(String(landing.headers['content-security-policy']), /default-src 'none'/);

      const missing = await world.tap('no-such-code', { headers: html });
      assert.equal(missing.status, 404);
      assert.match(String(missing.headers['content-type']), /^text\/html/);
    });
  });

function tablesOf(queries: readonly RootOperationNode[]): string[] {
  return queries
    .flatMap((node) => (node.kind === 'SelectQueryNode' ? (node.from?.froms ?? []) : []))
    .flatMap((from) => (TableNode.is(from) ? from.table.identifier.name : []));
}

/** A database whose first query after `hang` never completes. */
function hanging(db: Db): { readonly once: Db; hang(): void } {
  let isNext = false;
  const once = db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      if (isNext) {
        isNext = false;
        await new Promise(() => undefined);
      }
      return result;
    },
  });
  return {
    once,
    hang() {
      isNext = true;
    },
  };
}

/** Measured after a garbage collection. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

/** Inserts copies of a link directly and returns their codes. */
async function copyLink({ db, ids }: Service, shortCode: string, count: number): Promise<string[]> {
  const model = await db
    .selectFrom('links')
    .selectAll()
    .where('short_code', '=', shortCode)
    .executeTakeFirstOrThrow();
  const links = Array.from({ length: count }, (_, place) => ({
    ...model,
    id: ids.next(),
    short_code: `${shortCode}-${place}`,
  }));
  const codes = links.map(({ short_code: code, app_id, id: link_id }) => ({ code, app_id, link_id }));
  for (let from = 0; from < count; from += 100) await insertMany(db, 'links', links.slice(from, from + 100));
  await insertMany(db, 'short_codes', codes);
  return links.map(({ short_code }) => short_code);
}
