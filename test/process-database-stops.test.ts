/** A real PostgreSQL is stopped under load and comes back: visitors notice nothing, and callers lose nothing. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { RECEIVER_ENV } from './contract/webhook-receiver.ts';
import { assertCounted } from './counts.ts';
import { engines, makePlace, type Place } from './engines.ts';
import { PatientLoad } from './patient-phones.ts';
import { type Absence, type PostgresServer, startPostgresServer } from './postgres-server.ts';
import { makePlayLink, type RunningServer, startServer } from './process.ts';
import { journalFiles, queryStored } from './stored.ts';
import { waitFor } from './wait-for.ts';
import { type Receipt, ReceiverProcess } from './webhook-receiver-process.ts';
import { callServer, waitingFor } from './webhook-scene.ts';

const KEY = 'svc_live_0123456789abcdef';
const PATH = '/outage';
/** How long it is away: once for long, and once for longer than a statement is waited for. */
const AWAY_SECONDS: Record<Absence, number> = { 'is shut down': 30, crashes: 5, 'falls silent': 16 };
/** Of work before it goes, and after it is back. */
const BESIDE_SECONDS = 3;
const LINKS = 5;

for (const how of Object.keys(AWAY_SECONDS) as Absence[])
  describe(`PostgreSQL ${how} under load and comes back after ${AWAY_SECONDS[how]} s`, {
    skip: !engines.includes('postgres'),
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
      load = new PatientLoad({ url, key: KEY, shortCodes, tappers: 6, phones: 8, events: 40 });
      await sleep(BESIDE_SECONDS * 1_000);
      // From here on every link is known to the server.
      await waitFor('every link was tapped', async () => (load.taps.length > 10 * LINKS ? true : undefined));

      await postgres.goAway(how);
      goneMs = Date.now();
      await sleep(AWAY_SECONDS[how] * 1_000);
      backMs = Date.now();
      await postgres.comeBack();

      await sleep(BESIDE_SECONDS * 1_000);
      await load.stop();
      await waitFor('every webhook was told', async () =>
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

    it('redirects every visitor of a known link meanwhile, with a click ID', () => {
      assert.ok(whileAway(load.taps).length > 10 * AWAY_SECONDS[how], 'hardly anybody tapped');
      const others = load.taps.filter(({ status, clickId }) => status !== 302 || clickId === null);
      assert.deepEqual(others, []);
    });

    it('tells every caller meanwhile when to come back, and nobody that something went wrong', () => {
      const answers = whileAway(load.answers);
      assert.ok(answers.length > 0, 'nobody was answered meanwhile');
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

    it('stores every click whose redirect arrived, once, and leaves none in the journal', async () => {
      const stored = (await queryStored(place, 'select id from clicks')).map(({ id }) => id);
      assert.deepEqual(stored.toSorted(), load.clickIds.toSorted());
      assert.deepEqual(journalFiles(place), []);
    });

    it('stores every install and open once, with the answer that its phone got in the end', async () => {
      for (const kind of ['install', 'open'] as const) {
        const told = new Map(load.toldOf(kind).map(({ id, answer }) => [id, answer]));
        const rows = await queryStored(place, `select id, answer from ${kind}s`);
        assert.ok(rows.length > 0);
        assert.deepEqual(new Map(rows.map(({ id, answer }) => [id, answer])), told);
        assert.equal(rows.length, told.size);
      }
    });

    it('stores every event of every batch once, and says so of each', async () => {
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

    it('makes a link once, however often it was asked for with one Idempotency-Key', async () => {
      const stored = await queryStored(place, "select short_code from links where deep_link_path = '/made'");
      assert.deepEqual(
        stored.map(({ short_code: code }) => code).toSorted(),
        load
          .toldOf('link')
          .map(({ id }) => id)
          .toSorted(),
      );
    });

    it('tells the webhook of each install and event by one message, which arrives', async () => {
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

    it('counts what is there, once, and ends well', async () => {
      await assertCounted(place);
      assert.deepEqual(ended, { code: 0, signal: null });
    });
  });
