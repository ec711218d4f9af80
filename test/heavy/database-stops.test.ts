/** A real PostgreSQL stops under load and starts again: redirects go on, and no acknowledged call is lost. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertCounted } from '../helpers/counts.ts';
import { engines, makePlace, type Place } from '../helpers/engines.ts';
import { PatientLoad } from '../helpers/patient-phones.ts';
import { type Absence, type PostgresServer, startPostgresServer } from '../helpers/postgres-server.ts';
import { makePlayLink, type RunningServer, startServer } from '../helpers/process.ts';
import { journalFiles, queryStored } from '../helpers/stored.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { RECEIVER_ENV } from '../helpers/webhook-receiver.ts';
import { type Receipt, ReceiverProcess } from '../helpers/webhook-receiver-process.ts';
import { callServer, waitingFor } from '../helpers/webhook-scene.ts';

const KEY = 'svc_live_0123456789abcdef';
const PATH = '/outage';
/** A silent server stays unavailable for longer than the statement timeout. */
const AWAY_SECONDS: Record<Absence, number> = { 'is shut down': 8, crashes: 4, 'falls silent': 16 };
const LINKS = 5;

describe('an outage', { concurrency: true, skip: !engines.includes('postgres') }, () => {
  for (const how of Object.keys(AWAY_SECONDS) as Absence[])
    describe(`a server whose PostgreSQL ${how} under load for ${AWAY_SECONDS[how]} s`, {
      concurrency: false,
    }, () => {
      let postgres: PostgresServer | undefined;
      let place: Place;
      let receiver: ReceiverProcess | undefined;
      let server: RunningServer | undefined;
      let load: PatientLoad;
      let webhookId = '';
      let receipts: Receipt[] = [];
      let ended: unknown;
      let goneMs = 0;
      let backMs = 0;

      before(async () => {
        postgres = await startPostgresServer();
        place = await makePlace('postgres', { server: postgres.url });
        receiver = await ReceiverProcess.start();
        server = await startServer(place, { BOOTSTRAP_LIVE_KEY: KEY, TRUST_PROXY: '1', ...RECEIVER_ENV });
        const { url } = server;
        const body = { url: receiver.url(PATH), secret: 'a secret', events: [] };
        webhookId = (await callServer(server, KEY, ['POST', '/v1/webhooks', body])).id;
        const shortCodes = await Promise.all(Array.from({ length: LINKS }, () => makePlayLink(url, KEY)));
        load = new PatientLoad({ url, key: KEY, shortCodes, tappers: 4, phones: 4, events: 40 });
        await waitFor('every link to be cached', () => load.taps.length > 50 * LINKS || undefined);

        await postgres.goAway(how);
        goneMs = Date.now();
        await sleep(AWAY_SECONDS[how] * 1_000);
        backMs = Date.now();
        await postgres.comeBack();

        const answersBefore = load.answers.length;
        await waitFor('calls to succeed again', () => load.answers.length > answersBefore + 20 || undefined);
        await load.stop();
        await waitFor('every webhook to be delivered', async () =>
          (await waitingFor(place, webhookId)) === 0 ? true : undefined,
        );
        receipts = await receiver.received(PATH);
        ended = await server.end('SIGTERM');
      });
      after(async () => {
        await server?.end('SIGKILL');
        await receiver?.stop();
        await place?.remove();
        await postgres?.stop();
      });
      const whileAway = <T extends { atMs: number }>(list: readonly T[]): T[] =>
        list.filter(({ atMs }) => atMs > goneMs && atMs < backMs);

      it('redirects every tap of a known link during the outage, with a click ID', () => {
        assert.ok(whileAway(load.taps).length > 20, 'too few taps during the outage');
        const others = load.taps.filter(({ status, clickId }) => status !== 302 || clickId === null);
        assert.deepEqual(others, []);
      });

      it('answers other calls during the outage with 503 and Retry-After only', () => {
        const answers = whileAway(load.answers);
        assert.ok(answers.length > 0, 'no call during the outage');
        for (const { status, code, retryAfter, path } of load.answers) {
          if (status < 300) continue;
          assert.equal(`${path} ${status}`, `${path} 503`);
          assert.match(code ?? '', /^(database\.unavailable|clicks\.behind)$/);
          assert.match(retryAfter ?? '', /^[1-9]\d*$/);
        }
        for (const path of [
          '/v1/sdk/install',
          '/v1/sdk/open',
          '/v1/sdk/identify',
          '/v1/sdk/events',
          '/v1/links',
        ])
          assert.ok(
            load.answers.some((answer) => answer.path === path && answer.status < 300),
            path,
          );
      });

      it('stores every acknowledged click once, and leaves none in the journal', async () => {
        const stored = (await queryStored(place, 'select id from clicks')).map(({ id }) => id);
        assert.deepEqual(stored.toSorted(), load.clickIds.toSorted());
        assert.deepEqual(journalFiles(place), []);
      });

      it('stores every install and open once, with the response that the client received', async () => {
        for (const kind of ['install', 'open'] as const) {
          const told = new Map(load.toldOf(kind).map(({ id, answer }) => [id, answer]));
          const rows = await queryStored(place, `select id, answer from ${kind}s`);
          assert.ok(rows.length > 0);
          assert.deepEqual(new Map(rows.map(({ id, answer }) => [id, answer])), told);
          assert.equal(rows.length, told.size);
        }
      });

      it('stores every event of every batch once', async () => {
        const told = load.toldOf('event');
        for (const { id, answer } of told) assert.deepEqual(answer, { status: 201, eventId: id });
        const stored = (await queryStored(place, 'select client_event_id as id from events')).map(
          ({ id }) => id,
        );
        assert.deepEqual(stored.toSorted(), told.map(({ id }) => id).toSorted());
      });

      it('links every install to its user', async () => {
        const rows = await queryStored(place, 'select id, user_id from installs');
        assert.deepEqual(new Map(rows.map(({ id, user_id: user }) => [id, user])), load.users);
      });

      it('creates one link for each Idempotency-Key', async () => {
        const stored = await queryStored(
          place,
          "select short_code from links where deep_link_path = '/made'",
        );
        assert.deepEqual(
          stored.map(({ short_code: code }) => code).toSorted(),
          load
            .toldOf('link')
            .map(({ id }) => id)
            .toSorted(),
        );
      });

      it('delivers one message to the webhook for each install and event', async () => {
        const messages = await queryStored(
          place,
          `select m.id, coalesce(e.client_event_id, m.record_id) as told_of
         from webhook_messages m left join events e on e.app_id = m.app_id and e.id = m.record_id`,
        );
        const told = ['install', 'open', 'event'].flatMap((kind) => load.toldOf(kind as 'event'));
        const attributed = told.filter(({ kind, answer }) => kind !== 'open' || answer.attributed === true);
        assert.deepEqual(
          messages.map(({ told_of: id }) => id).toSorted(),
          attributed.map(({ id }) => id).toSorted(),
        );
        assert.deepEqual(
          new Set(receipts.map(({ webhookId: messageId }) => messageId)),
          new Set(messages.map(({ id }) => id)),
        );
      });

      it('counts every record once, and stops with code 0', async () => {
        await assertCounted(place);
        assert.deepEqual(ended, { code: 0, signal: null });
      });
    });
});
