/** The person of an erasure or export is matched literally, or the request is rejected with a clear error. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { engines } from '../../helpers/engines.ts';
import { assertError } from '../../helpers/refusal.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { freshAddress, type TestApp, useWorld } from '../../helpers/world.ts';

const NO_ADDRESSES = [
  '',
  ' ',
  'localhost',
  '203.0.113.0/24',
  '2001:db8::/64',
  'fe80::1%eth0',
  '203.0.113.9:443',
  '[2001:db8::1]',
  '203.0.113',
  '203.0.113.256',
  '0313.0.113.9',
  '0xcb007109',
  '3405803785',
  '203.0.113.9, 203.0.113.10',
  '203.0.113.9\u200b',
  '２０３.0.113.9',
];
/** Each would match other people's records if it were used unescaped in a statement or a pattern. */
const ODD_USERS = ["a' or '1'='1", '%', 'a_a', '"; drop table events; --', '👩‍🚀 ada', '\\', 'null', ' '];

for (const engine of engines)
  describe(`the person of a privacy request on ${engine}`, () => {
    const world = useWorld(engine);

    for (const path of ['erase', 'export'] as const) {
      it(`${path}: any value but a single address is rejected, and the error names the field`, async () => {
        const app = await world.newApp();
        for (const ipAddress of NO_ADDRESSES) {
          const answer = await post(app, path, { ipAddress });
          assert.equal(answer.status, 400, `${ipAddress}: ${answer.text}`);
          assertError(answer, ipAddress);
          assert.match(answer.body.error, /ipAddress/);
        }
      });

      it(`${path}: neither identifier, or a user ID of a megabyte, is rejected`, async () => {
        const app = await world.newApp();
        for (const [body, status] of [
          [{}, 400],
          [{ requesterEmail: 'dpo@example.com' }, 400],
          [{ ipAddress: null, userId: null }, 400],
          [{ userId: 'x'.repeat(256) }, 400],
          [{ userId: 'x'.repeat(1_000_000) }, 413],
        ] as const) {
          const answer = await post(app, path, body);
          assert.equal(answer.status, status, answer.text);
          assertError(answer, JSON.stringify(body).slice(0, 80));
        }
      });
    }

    it('a user ID with quotes, wildcards or emoji matches that user only', async () => {
      const app = await world.newApp();
      const users = [...ODD_USERS, 'ada', 'aXa'];
      for (const userId of users) {
        const { installId } = (await world.install(app, {}, { from: freshAddress() })).body;
        const event = { installId, eventName: 'level', userId };
        await world.call('POST', '/v1/sdk/event', { key: app.keys.live, body: event });
      }
      for (const userId of ODD_USERS) {
        const { body } = await post(app, 'export', { userId });
        assert.deepEqual(
          body.events.map((event: { userId: string }) => event.userId),
          [userId],
        );
        const accepted = await post(app, 'erase', { userId });
        assert.equal(accepted.status, 202, accepted.text);
        const status = `/v1/privacy/erase/${accepted.body.requestIds[0]}`;
        await waitFor('completed', async () =>
          (await world.call('GET', status, { key: app.keys.live })).body.status === 'completed'
            ? true
            : undefined,
        );
        assert.deepEqual((await post(app, 'export', { userId })).body.events, []);
      }
      for (const userId of ['ada', 'aXa'])
        assert.equal((await post(app, 'export', { userId })).body.events.length, 1, userId);
    });

    it('an unknown or invalid request id, or one of another app, is not found', async () => {
      const [app, other] = [await world.newApp(), await world.newApp()];
      const { requestIds } = (await post(other, 'erase', { userId: 'ada' })).body;
      for (const id of [requestIds[0], randomUUID(), 'x', '%', "'", '0'.repeat(2_000)]) {
        const path = `/v1/privacy/erase/${encodeURIComponent(id)}`;
        const answer = await world.call('GET', path, { key: app.keys.live });
        assert.equal(answer.status, 404, `${id}: ${answer.text}`);
        assertError(answer, id);
      }
    });

    async function post(app: TestApp, path: 'erase' | 'export', body: object) {
      return await world.call('POST', `/v1/privacy/${path}`, { key: app.keys.live, body });
    }
  });
