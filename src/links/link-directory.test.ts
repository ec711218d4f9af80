import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type RootOperationNode, TableNode } from 'kysely';
import { engines } from '../../test/engines.ts';
import { connectionRefused, failing, noting } from '../../test/statements.ts';
import { DESKTOP, type TestApp, useWorld } from '../../test/world.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import type { Db } from '../platform/db/index.ts';
import { createLinkDirectory, type LinkDirectory } from './link-directory.ts';

for (const engine of engines)
  describe(`the way from a short code to a destination on ${engine}`, () => {
    const world = useWorld(engine);
    const whereTo = async (code: string) => (await world.tap(code, { userAgent: DESKTOP })).headers.location;

    const newCode = async (app: TestApp, fallbackUrl?: string) =>
      (await world.newLink(app, fallbackUrl === undefined ? {} : { fallbackUrl })).shortCode;

    /** Without a new revision. */
    const changeUnseen = async (app: TestApp, fallback_url: string) =>
      await world.service.ctx.db
        .updateTable('links')
        .set({ fallback_url })
        .where('app_id', '=', app.id)
        .execute();

    /** The directory of another process that has known these links for a while, and what it asks from now on. */
    async function knowing(codes: readonly string[]) {
      const asked: RootOperationNode[] = [];
      const { ctx } = world.service;
      const directory = createLinkDirectory({ ...ctx, db: noting(ctx.db, asked) });
      await becomeKnown(directory, codes);
      asked.length = 0;
      return { directory, asked };
    }

    async function becomeKnown(directory: LinkDirectory, codes: readonly string[]): Promise<void> {
      for (let second = 0; second < 4; second++) {
        for (const code of codes) await directory.resolve(code);
        world.clock.advance(SECOND_MS);
      }
    }

    it('a change is followed by the very next tap', async () => {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app, { fallbackUrl: 'https://example.com/1' });
      for (let turn = 1; turn <= 5; turn++) {
        assert.equal(await whereTo(shortCode), `https://example.com/${turn}`);
        const body = { fallbackUrl: `https://example.com/${turn + 1}` };
        const [patched] = await Promise.all([
          world.call('PATCH', `/v1/links/${shortCode}`, { key: app.keys.live, body }),
          ...Array.from({ length: 5 }, () => whereTo(shortCode)),
        ]);
        assert.equal(patched.status, 200);
      }
    });

    it('a code that was unknown a moment ago works once its link exists', async () => {
      const app = await world.newApp();
      assert.equal((await world.tap('not-there-yet')).status, 404);
      await world.newLink(app, { shortCode: 'not-there-yet', fallbackUrl: 'https://example.com/' });
      assert.equal((await world.tap('not-there-yet', { userAgent: DESKTOP })).status, 302);
    });

    it('the app’s defaults fill in what a link leaves out, and follow a change within a second', async () => {
      const app = await world.newApp({ fallbackUrl: 'https://example.com/app' });
      const { shortCode } = await world.newLink(app);
      assert.equal(await whereTo(shortCode), 'https://example.com/app');
      await world.admin('PATCH', `/apps/${app.id}`, { fallbackUrl: 'https://example.com/new' });
      world.clock.advance(SECOND_MS);
      assert.equal(await whereTo(shortCode), 'https://example.com/new');
    });

    it('a link’s landing page is its own, else the app’s, and it knows what pages say of the app', async () => {
      const { ctx } = world.service;
      const app = await world.newApp({
        name: 'Shop',
        ...{ landingPage: 'never', clipboardToken: true, shortLinkHost: `${engine}.pages.test` },
        ...{ urlScheme: 'shop', androidPackage: 'com.example.shop' },
      });
      const own = await world.newLink(app, { landingPage: 'always' });
      const plain = await world.newLink(app);
      const directory = createLinkDirectory(ctx);
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

    it('links that are tapped together are read anew by one statement for each app, and each leads to its own', async () => {
      const { ctx } = world.service;
      const apps = [await world.newApp(), await world.newApp()];
      const codes: string[] = [];
      for (const app of [...apps, ...apps, ...apps]) {
        const { shortCode } = await world.newLink(app, {
          fallbackUrl: `https://example.com/${codes.length}`,
        });
        codes.push(shortCode);
      }
      const asked: RootOperationNode[] = [];
      const directory = createLinkDirectory({ ...ctx, db: noting(ctx.db, asked) });
      const whereAll = async () => {
        const links = await Promise.all(codes.map((code) => directory.resolve(code)));
        return links.map((link) => link?.fallbackUrl);
      };
      const expected = codes.map((_, place) => `https://example.com/${place}`);
      assert.deepEqual(await whereAll(), expected);

      const changed = codes.at(-1) ?? '';
      const body = { fallbackUrl: 'https://example.com/changed' };
      await world.call('PATCH', `/v1/links/${changed}`, { key: apps[1]?.keys.live ?? '', body });
      await world.call('DELETE', `/v1/links/${codes[0]}`, { key: apps[0]?.keys.live ?? '' });
      world.clock.advance(SECOND_MS);
      asked.length = 0;
      assert.deepEqual(await whereAll(), [undefined, ...expected.slice(1, -1), body.fallbackUrl]);
      assert.deepEqual(tablesOf(asked).toSorted(), ['apps', 'apps', 'links', 'links']);
    });

    it('links that did not change are not read again: one look at their app does for all of them', async () => {
      const app = await world.newApp({ fallbackUrl: 'https://example.com/' });
      const codes = await Promise.all(Array.from({ length: 5 }, async () => await newCode(app)));
      const { directory, asked } = await knowing(codes);
      for (let second = 0; second < 50; second++) {
        world.clock.advance(SECOND_MS);
        for (const code of codes) assert.notEqual(await directory.resolve(code), null);
      }
      assert.deepEqual(new Set(tablesOf(asked)), new Set(['apps']));
      assert.ok(asked.length <= 50);
    });

    it('a change by another process is followed within a second, whatever was known and for how long', async () => {
      const app = await world.newApp({ fallbackUrl: 'https://example.com/app' });
      const key = app.keys.live;
      const [plain, own, gone] = [await newCode(app), await newCode(app), await newCode(app)];
      const { directory } = await knowing([plain, own, gone]);
      const whereAll = async () => {
        const links = await Promise.all([plain, own, gone].map((code) => directory.resolve(code)));
        return links.map((link) => link?.fallbackUrl);
      };
      const before = ['https://example.com/app', 'https://example.com/app', 'https://example.com/app'];
      assert.deepEqual(await whereAll(), before);
      await world.call('PATCH', `/v1/links/${own}`, {
        key,
        body: { fallbackUrl: 'https://example.com/own' },
      });
      world.clock.advance(SECOND_MS);
      assert.deepEqual(await whereAll(), before.with(1, 'https://example.com/own'));
      await world.call('DELETE', `/v1/links/${gone}`, { key });
      world.clock.advance(SECOND_MS);
      assert.deepEqual(await whereAll(), [before[0], 'https://example.com/own', undefined]);
      await world.admin('PATCH', `/apps/${app.id}`, { fallbackUrl: 'https://example.com/new' });
      world.clock.advance(SECOND_MS);
      assert.deepEqual(await whereAll(), ['https://example.com/new', 'https://example.com/own', undefined]);
    });

    it('a link that is read right after a change is read once more: on a cluster its node may commit later', async () => {
      const app = await world.newApp({ fallbackUrl: 'https://example.com/' });
      const code = await newCode(app);
      const { directory } = await knowing([code]);
      const { db } = world.service.ctx;
      await db.updateTable('apps').set({ links_revision: 1_000 }).where('id', '=', app.id).execute();
      world.clock.advance(SECOND_MS);
      assert.equal((await directory.resolve(code))?.fallbackUrl, 'https://example.com/');
      await changeUnseen(app, 'https://example.com/late');
      world.clock.advance(SECOND_MS);
      assert.equal((await directory.resolve(code))?.fallbackUrl, 'https://example.com/late');
    });

    it('what is changed in the database, past the service, is followed within a minute', async () => {
      const app = await world.newApp({ fallbackUrl: 'https://example.com/' });
      const code = await newCode(app);
      const { directory } = await knowing([code]);
      await changeUnseen(app, 'https://example.com/by-hand');
      world.clock.advance(MINUTE_MS);
      assert.equal((await directory.resolve(code))?.fallbackUrl, 'https://example.com/by-hand');
    });

    it('links that change while they are read are followed, however reading and changing meet', async () => {
      const app = await world.newApp();
      const code = await newCode(app, 'https://example.com/0');
      const { directory } = await knowing([code]);
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

    it('with the database away nobody is told that a code is nobody’s, also where it was', async () => {
      const app = await world.newApp();
      const { ctx } = world.service;
      let isAway = false;
      const db = failing(ctx.db, () => (isAway ? connectionRefused() : null));
      const ofAnotherProcess = createLinkDirectory({ ...ctx, db });
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

    it('a link that is known leads where it led, whatever keeps it from being read', async () => {
      const app = await world.newApp({ fallbackUrl: 'https://example.com/' });
      const code = await newCode(app);
      const { ctx } = world.service;
      let isBroken = false;
      const db = failing(ctx.db, () =>
        isBroken ? Object.assign(new Error('permission denied for table apps'), { code: '42501' }) : null,
      );
      const directory = createLinkDirectory({ ...ctx, db });
      await becomeKnown(directory, [code]);
      isBroken = true;
      world.clock.advance(MINUTE_MS);
      assert.equal((await directory.resolve(code))?.fallbackUrl, 'https://example.com/');
      await assert.rejects(async () => await directory.resolve('not-known'), { code: '42501' });
    });

    it('a look at the app that hangs holds up neither a link that is not known nor, for long, a change', async () => {
      const app = await world.newApp({ fallbackUrl: 'https://example.com/' });
      const [first, second, notKnown] = [await newCode(app), await newCode(app), await newCode(app)];
      const db = hanging(world.service.ctx.db);
      const directory = createLinkDirectory({ ...world.service.ctx, db: db.once });
      await becomeKnown(directory, [first, second]);
      db.hang();
      assert.equal((await directory.resolve(first))?.fallbackUrl, 'https://example.com/');
      assert.equal((await directory.resolve(notKnown))?.fallbackUrl, 'https://example.com/');
      const body = { fallbackUrl: 'https://example.com/new' };
      await world.call('PATCH', `/v1/links/${second}`, { key: app.keys.live, body });
      await new Promise((resolve) => setTimeout(resolve, SECOND_MS));
      assert.equal((await directory.resolve(second))?.fallbackUrl, body.fallbackUrl);
    });

    it('links that are known take a bounded room, however long they are: those tapped last are kept', async () => {
      const app = await world.newApp();
      const address = `https://example.com/${'a'.repeat(2_000)}`;
      const { shortCode } = await world.newLink(app, {
        deepLinkParams: { text: 'a'.repeat(16_000) },
        ...{ iosDestination: address, androidDestination: address, fallbackUrl: address },
      });
      const codes = await copyLink(world.service.ctx, shortCode, 3_300);
      // However long the reading takes, it was a moment ago.
      const clock = { ...world.service.ctx.clock, nowMs: () => Date.parse('2026-11-22T00:00:00.000Z') };
      const directory = createLinkDirectory({ ...world.service.ctx, clock });
      for (const code of codes) await directory.resolve(code);
      const isKnown = codes.toReversed().map((code) => !(directory.resolve(code) instanceof Promise));
      const known = isKnown.indexOf(false);
      assert.ok(known > 2_500 && known < 3_100, `${known} of ${codes.length}`);
      await Promise.all(codes.map((code) => directory.resolve(code)));
    });

    it('a code that nobody has is remembered alone, without the address it came in', async () => {
      const directory = createLinkDirectory(world.service.ctx);
      const beforeBytes = heapBytes();
      for (let n = 0; n < 1_000; n++) {
        const address = Buffer.from(`/l/nobody-has-this-${n}?${'x'.repeat(15_000)}`).toString('latin1');
        await directory.resolve(address.slice('/l/'.length, address.indexOf('?')));
      }
      const grownBytes = heapBytes() - beforeBytes;
      assert.equal(await directory.resolve('nobody-has-this-1'), null);
      assert.ok(grownBytes < 5_000_000, `${grownBytes} bytes for 1,000 codes`);
    });

    it('a clock that is set back keeps no change from being followed', async () => {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app, { fallbackUrl: 'https://example.com/old' });
      const ofAnotherProcess = createLinkDirectory(world.service.ctx);
      assert.equal((await ofAnotherProcess.resolve(shortCode))?.fallbackUrl, 'https://example.com/old');
      const body = { fallbackUrl: 'https://example.com/new' };
      await world.call('PATCH', `/v1/links/${shortCode}`, { key: app.keys.live, body });
      world.clock.advance(-60 * SECOND_MS);
      assert.equal((await ofAnotherProcess.resolve(shortCode))?.fallbackUrl, 'https://example.com/new');
      world.clock.advance(60 * SECOND_MS);
    });

    it('an expired link answers 410, or goes to its fallback, and records no click', async () => {
      const app = await world.newApp();
      const plain = await world.newLink(app, { expiresInDays: 1 });
      const withFallback = await world.newLink(app, {
        expiresInDays: 1,
        fallbackUrl: 'https://example.com/over',
      });
      world.clock.advance(2 * DAY_MS);
      assert.equal((await world.tap(plain.shortCode)).status, 410);
      assert.equal(await whereTo(withFallback.shortCode), 'https://example.com/over');
      await world.service.ctx.clickLog.applied();
      const { db } = world.service.ctx;
      assert.deepEqual(await db.selectFrom('clicks').select('id').where('app_id', '=', app.id).execute(), []);
    });

    it('a browser gets a page where there is nowhere to go, with what the link holds escaped', async () => {
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

/** The tables that statements read. */
function tablesOf(asked: readonly RootOperationNode[]): string[] {
  return asked
    .flatMap((node) => (node.kind === 'SelectQueryNode' ? (node.from?.froms ?? []) : []))
    .flatMap((from) => (TableNode.is(from) ? from.table.identifier.name : []));
}

/** A database whose first answer after `hang` never comes. */
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

/** What is in use, once garbage is collected. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

/** Copies of a link as rows, past the service; gives their codes. */
async function copyLink({ db, store, ids }: Ctx, shortCode: string, count: number): Promise<string[]> {
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
  for (let from = 0; from < count; from += 100)
    await store.insertMany(db, 'links', links.slice(from, from + 100));
  await store.insertMany(db, 'short_codes', codes);
  return links.map(({ short_code }) => short_code);
}
