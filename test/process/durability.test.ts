/** Kills the real process under load several times: every acknowledged record must be stored. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertCounted } from '../helpers/counts.ts';
import { engines, makePlace, type Place } from '../helpers/engines.ts';
import { type InstallAnswer, Load, type SentInstall, sendInstall } from '../helpers/load.ts';
import { type RunningServer, startServer } from '../helpers/process.ts';
import { journalFiles, queryStored } from '../helpers/stored.ts';

/** The second kill also meets what the first one left. */
const ROUNDS = 2;
const LINKS = 8;
/** Acknowledged before each kill, so that a loss would be visible. */
const MIN_CLICKS = 200;
const MIN_INSTALLS = 20;
const MAX_DELAY_MS = 300;
const KEY = 'svc_live_0123456789abcdef';
const ENV = { BOOTSTRAP_LIVE_KEY: KEY, TRUST_PROXY: '1' };

for (const engine of engines)
  describe(`a server on ${engine} that is killed under load`, () => {
    let place: Place;
    let server: RunningServer | undefined;
    let ended: { code: number | null } | undefined;
    const rounds: Load[] = [];
    /** Installs without a response because of the kill, and the response to their retry. */
    const retried: { install: SentInstall; answer: InstallAnswer }[] = [];
    /** Answered installs, and the response to the same call after the restart. */
    const repeated: { install: SentInstall; answer: InstallAnswer }[] = [];

    before(async () => {
      place = await makePlace(engine);
      server = await startServer(place, ENV);
      const shortCodes = await makeLinks(server.url);
      for (let round = 0; round < ROUNDS; round++) {
        const load = new Load({ url: server.url, key: KEY, shortCodes, taps: 50, installs: 4 });
        rounds.push(load);
        await load.reaches(MIN_CLICKS, MIN_INSTALLS);
        await new Promise((resolve) => setTimeout(resolve, Math.random() * MAX_DELAY_MS));
        await server.end('SIGKILL');
        await load.stop();

        server = await startServer(place, ENV);
        for (const install of load.installs) {
          if (install.answer !== null && repeated.length >= 10 * (round + 1)) continue;
          const answer = await sendInstall({ url: server.url, key: KEY }, install, '192.0.2.1');
          (install.answer === null ? retried : repeated).push({ install, answer });
        }
      }
      ended = await server.end('SIGTERM');
    });
    after(async () => {
      await server?.end('SIGKILL');
      await place?.remove();
    });

    it('has acknowledged clicks and installs and is answering more at each kill', () => {
      for (const load of rounds) {
        assert.ok(load.clickIds.length >= MIN_CLICKS);
        assert.ok(load.answeredInstalls.length >= MIN_INSTALLS);
        assert.ok(load.tapsSent > load.clickIds.length, 'no tap was in flight');
      }
      assert.equal(ended?.code, 0);
    });

    it('stores every click whose 302 arrived exactly once, and no other click', async () => {
      const acknowledged = rounds.flatMap(({ clickIds }) => clickIds);
      assert.equal(new Set(acknowledged).size, acknowledged.length);
      const rows = await queryStored(place, 'select id from clicks');
      const stored = new Set(rows.map(({ id }) => id));
      assert.equal(stored.size, rows.length);
      const lost = acknowledged.filter((clickId) => !stored.has(clickId));
      assert.equal(lost.length, 0, `${lost.length} of ${acknowledged.length} acknowledged clicks are lost`);
      assert.ok(rows.length <= rounds.reduce((sum, { tapsSent }) => sum + tapsSent, 0));
      assert.deepEqual(journalFiles(place), []);
    });

    it('stores every install whose 200 arrived exactly once, with the answered method', async () => {
      const stored = await installsById(place);
      for (const { installId, answer } of rounds.flatMap((load) => load.answeredInstalls)) {
        const rows = stored.get(installId) ?? [];
        assert.equal(rows.length, 1, `${rows.length} rows for an install that was answered`);
        assert.equal(rows[0]?.attribution_method, answer?.method);
        assert.equal(rows[0]?.click_id, answer?.clickId);
      }
    });

    it('answers the retry of an unanswered install and records it once', async () => {
      assert.ok(retried.length > 0);
      const stored = await installsById(place);
      for (const { install, answer } of retried) {
        assert.equal(answer.installId, install.installId);
        const rows = stored.get(install.installId) ?? [];
        assert.equal(rows.length, 1, `${rows.length} rows for an install that was retried`);
        assert.equal(rows[0]?.attribution_method, answer.method);
      }
      const sent = rounds.reduce((sum, { installs }) => sum + installs.length, 0);
      assert.equal([...stored.values()].flat().length, sent);
    });

    it('counts every stored click and install once, and nothing else', async () => {
      await assertCounted(place);
    });

    it('repeats its response to an install that is sent again', () => {
      assert.ok(repeated.length > 0);
      for (const { install, answer } of repeated) assert.deepEqual(answer, install.answer);
    });

    it('assigns each click to exactly one of the installs that name it', async () => {
      const named = new Set(rounds.flatMap(({ installs }) => installs.map(({ clickId }) => clickId)));
      const stored = [...(await installsById(place)).values()].flat();
      const claims = stored.filter(({ click_id: clickId }) => clickId !== null);
      assert.deepEqual(claims.map(({ click_id: clickId }) => clickId).sort(), [...named].sort());
      const claimed = await queryStored(
        place,
        'select id, claimed_by_install from clicks where claimed_by_install is not null',
      );
      assert.deepEqual(
        new Map(claimed.map((click) => [click.id, click.claimed_by_install])),
        new Map(claims.map((install) => [install.click_id, install.id])),
      );
    });
  });

async function makeLinks(url: string): Promise<string[]> {
  const answers = Array.from({ length: LINKS }, async () => {
    const answer = await fetch(`${url}/v1/links`, {
      method: 'POST',
      headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
      body: JSON.stringify({
        deepLinkPath: '/welcome',
        androidDestination: 'https://play.google.com/store/apps/details?id=com.example',
      }),
    });
    return ((await answer.json()) as { shortCode: string }).shortCode;
  });
  return await Promise.all(answers);
}

async function installsById(place: Place) {
  const rows = await queryStored(place, 'select id, attribution_method, click_id from installs');
  return Map.groupBy(rows, ({ id }) => id as string);
}
