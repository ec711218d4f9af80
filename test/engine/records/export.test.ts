/** Exports to readers that pause, and exports that fail half-way. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage, type RequestOptions, request } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { before, describe, it } from 'node:test';
import { sql } from 'kysely';
import type { Actor } from '../../../src/auth/index.ts';
import { EVENTS as EVENTS_KIND } from '../../../src/records/kinds.ts';
import { exportRecords } from '../../../src/records/list-records.ts';
import { callAs, newUser, type TestUser } from '../../helpers/accounts.ts';
import { engines } from '../../helpers/engines.ts';
import { insertEvents } from '../../helpers/many-events.ts';
import { queryStored } from '../../helpers/stored.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { type TestApp, useWorld } from '../../helpers/world.ts';

const EVENTS = 2_500;
const PROPERTY_BYTES = 10 * 1024;
const MB = 1024 * 1024;
const USER = 'user-17';
const READER = { accept: 'application/x-ndjson', 'content-type': 'application/json' };
const MAX_WAITING_BYTES = 4 * MB;

for (const engine of engines)
  describe(`exports on ${engine}`, () => {
    const world = useWorld(engine);
    let app: TestApp;
    let ids: string[] = [];
    let url = '';
    const sockets: Socket[] = [];

    before(async () => {
      app = await world.newApp();
      ids = await insertEvents(world, app, { count: EVENTS, propertyBytes: PROPERTY_BYTES, userId: USER });
      const { api } = world.service;
      api.server.on('connection', (socket) => sockets.push(socket));
      await api.listen({ port: 0, host: '127.0.0.1' });
      url = `http://127.0.0.1:${(api.server.address() as AddressInfo).port}`;
    });

    /** The response to a reader that has not read its body yet, once the server waits for it. */
    async function pausedExport(
      path = '/v1/events',
      { body, ...options }: RequestOptions & { body?: string } = {},
    ): Promise<IncomingMessage> {
      const headers = { ...READER, 'x-api-key': app.keys.live };
      const asked = request(`${url}${path}`, { headers, agent: false, ...options }).end(body);
      const [response] = (await once(asked, 'response')) as [IncomingMessage];
      assert.equal(response.statusCode, 200);
      let written = -1;
      await waitFor('the server to wait for the reader', () => {
        const [socket] = sockets.slice(-1);
        const isWaiting =
          socket !== undefined && socket.bytesWritten === written && socket.writableLength > 0;
        written = socket?.bytesWritten ?? -1;
        return isWaiting || undefined;
      });
      return response;
    }

    it('a reader that pauses holds no transaction and no lock, and little memory, and then reads the rest', async () => {
      const response = await pausedExport();
      const waiting = sockets.at(-1)?.writableLength ?? 0;
      assert.ok(waiting > 0 && waiting < MAX_WAITING_BYTES, `${waiting} bytes`);
      await world.newLink(app);
      assert.deepEqual(await holdersOf(world.place), []);
      const lines = (await text(response)).trim().split('\n');
      assert.deepEqual(
        lines.map((line) => JSON.parse(line).id),
        ids,
      );
    });

    it('large records are read and presented a few at once', async () => {
      const [read, presented]: [number[], number[]] = [[], []];
      const db = world.service.db.withPlugin({
        transformQuery: ({ node }) => node,
        async transformResult({ result }) {
          read.push(JSON.stringify(result.rows).length);
          return result;
        },
      });
      const { id } = app;
      const actor: Actor = { appId: id, keyId: id, mode: 'live', publishable: false };
      const records = await exportRecords(
        { ...world.service, db, clicksApplied: async () => {} },
        EVENTS_KIND,
        {
          actor,
          input: {},
        },
      );
      let count = 0;
      for await (const items of records) {
        count += items.length;
        presented.push(JSON.stringify(items).length);
      }
      assert.equal(count, EVENTS);
      assert.ok(Math.max(...read) < 9 * MB, `${Math.max(...read)} bytes read`);
      assert.ok(Math.max(...presented) < MB / 2, `${Math.max(...presented)} bytes presented`);
    });

    it('an app has at most 5 open exports, and one whose reader is gone makes room', async () => {
      const ask = async (key: string) => {
        const headers = { 'x-api-key': key, accept: 'text/csv' };
        const request = get(`${url}/v1/events`, { headers, agent: false });
        const [response] = (await once(request, 'response')) as [IncomingMessage];
        return response;
      };
      const open = await Promise.all(Array.from({ length: 5 }, () => ask(app.keys.live)));
      const sixth = await ask((await world.admin('POST', `/apps/${app.id}/keys`, { kind: 'live' })).body.key);
      assert.deepEqual(
        [sixth.statusCode, sixth.headers['x-service-error'], sixth.headers['retry-after']],
        [429, 'rate.limited', '5'],
      );
      const other = await ask((await world.newApp()).keys.live);
      assert.equal(other.statusCode, 200);
      open[0]?.destroy();
      await waitFor('room', async () => {
        const response = await ask(app.keys.live);
        response.destroy();
        return response.statusCode === 200 || undefined;
      });
      for (const response of [...open, sixth, other]) response.destroy();
    });

    it('a failure while the reader pauses ends the connection in error, and the service goes on', async () => {
      const response = await pausedExport();
      await sql`alter table events rename to other_events`.execute(world.service.db);
      try {
        await assert.rejects(text(response), { code: 'ECONNRESET' });
      } finally {
        await sql`alter table other_events rename to events`.execute(world.service.db);
      }
      assert.equal((await text(await pausedExport())).trim().split('\n').length, EVENTS);
    });

    it('a HEAD gets the type of the export, without its records', async () => {
      const headers = { accept: 'text/csv' };
      const answer = await world.call('HEAD', '/v1/events', { key: app.keys.live, headers });
      assert.deepEqual([answer.status, answer.text], [200, '']);
      assert.equal(answer.headers['content-type'], 'text/csv; charset=utf-8');
    });

    it('the operator lists and exports the records of any app', async () => {
      const other = await world.newApp();
      const own = await insertEvents(world, other, { count: 3, propertyBytes: 1 });
      const path = `/v1/admin/apps/${other.id}/events?limit=2`;
      const listed = await world.admin('GET', path.slice('/v1/admin'.length));
      assert.deepEqual(
        listed.body.map(({ id }: { id: string }) => id),
        own.slice(-2).reverse(),
      );
      const headers = { authorization: `Bearer ${world.service.dataDir.adminToken}`, accept: 'text/csv' };
      const { text: csv } = await world.call('GET', path, { headers });
      assert.equal(csv.trim().split('\n').length, own.length + 1);
      assert.equal((await world.admin('GET', `/apps/${own[0]}/events`)).status, 404);
    });

    const asOf = ({ cookie }: TestUser) => ({ ...READER, cookie, 'x-app-id': app.id });
    const person = { method: 'POST', body: JSON.stringify({ userId: USER }) };
    const exports: readonly [name: string, open: (user: TestUser) => Promise<IncomingMessage>][] = [
      ['records', (user) => pausedExport('/v1/events', { headers: asOf(user) })],
      ['a person', (user) => pausedExport('/v1/privacy/export', { ...person, headers: asOf(user) })],
    ];
    for (const [name, open] of exports) {
      it(`an export of ${name} ends in error once its reader may not read any more`, async ({ mock }) => {
        const [user, owner] = [
          await newUser(world, { appId: app.id }),
          await newUser(world, { appId: app.id }),
        ];
        const response = await open(user);
        const { status } = await callAs(world, owner, 'DELETE', `/v1/users/${user.id}`, { appId: app.id });
        assert.equal(status, 204);
        const now = performance.now.bind(performance);
        mock.method(performance, 'now', () => now() + 2_000);
        await assert.rejects(text(response), { code: 'ECONNRESET' });
      });

      it(`an export of ${name} has what was recorded before it began`, async () => {
        const response = await open(await newUser(world, { appId: app.id }));
        const [late = ''] = await insertEvents(world, app, { count: 1, propertyBytes: 1, userId: USER });
        const exported = await text(response);
        assert.ok(exported.includes(ids.at(-1) ?? '') && !exported.includes(late));
        await sql`delete from events where app_id = ${app.id} and id = ${late}`.execute(world.service.db);
      });
    }
  });

/** What still holds a transaction open: PostgreSQL sessions, or a reader that keeps the SQLite log from being emptied. */
async function holdersOf(place: { databaseUrl: string | null; dataDir: string }): Promise<unknown[]> {
  if (place.databaseUrl !== null)
    return await queryStored(
      place,
      `select state, query from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
         and backend_type = 'client backend'`,
    );
  const db = new DatabaseSync(join(place.dataDir, 'throughline.db'), { timeout: 5_000 });
  try {
    const [result] = db.prepare('pragma wal_checkpoint(truncate)').all();
    return result?.busy === 0 && result.log === 0 ? [] : [result];
  } finally {
    db.close();
  }
}
