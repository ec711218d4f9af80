/** `throughline simulate` against a real server: its report matches the stored records. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { simulate } from '../../src/commands/simulate/index.ts';
import { readConfig } from '../../src/config.ts';
import { StartError } from '../../src/errors.ts';
import { openDataDir } from '../../src/lib/data-dir/index.ts';
import { engines, makePlace, type Place } from '../helpers/engines.ts';
import { freePort } from '../helpers/free-port.ts';
import { type RunningServer, runCommand, startServer } from '../helpers/process.ts';
import { queryStored } from '../helpers/stored.ts';

type Counts = Record<'right' | 'wrong' | 'missed', number>;
type Tally = Record<'INSTALL_REFERRER' | 'CLICK_ID' | 'FINGERPRINT' | 'ORGANIC', Counts>;

interface Summary {
  readonly appId: string;
  readonly addresses: 'own' | 'one';
  readonly people: number;
  readonly phones: number;
  readonly taps: number;
  readonly installs: Tally;
  readonly opens: Tally;
  readonly events: number;
  readonly identified: number;
  readonly records: readonly {
    readonly platform: 'IOS' | 'ANDROID' | null;
    readonly taps: number;
    readonly install: { method: string; verdict: string } | null;
  }[];
}

for (const engine of engines)
  describe(`simulate on ${engine}`, () => {
    let place: Place;
    let server: RunningServer;
    before(async () => {
      place = await makePlace(engine);
      server = await startServer(place);
    });
    after(async () => {
      await server?.end('SIGTERM');
      await place?.remove();
    });

    const run = (...args: string[]) => runCommand(['simulate', ...args], place.env);
    async function result(...args: string[]): Promise<Summary> {
      const { code, stdout, stderr } = await run('--json', '--quiet', ...args);
      assert.equal(stderr, '');
      assert.equal(code, 0);
      return JSON.parse(stdout) as Summary;
    }
    const stored = async (sql: string) => (await queryStored(place, sql)).map((row) => Object.values(row));

    it('Android matches by referrer, no tap means organic, and no install matches another visitor', async () => {
      const { people, phones, taps, installs, opens, records, ...summary } = await result('--people', '12');
      assert.deepEqual([people, phones, taps], [12, 10, 14]);
      assert.deepEqual([summary.events, summary.identified], [17, 5]);
      const answers = (platform: string, hasTapped: boolean) =>
        records
          .filter((one) => one.platform === platform && one.taps > 0 === hasTapped)
          .map(({ install }) => `${install?.method} ${install?.verdict}`);
      assert.deepEqual(answers('ANDROID', true), Array(3).fill('INSTALL_REFERRER right'));
      for (const platform of ['ANDROID', 'IOS'])
        assert.deepEqual(answers(platform, false), ['ORGANIC right'], platform);
      assert.deepEqual(installs.INSTALL_REFERRER, { right: 3, wrong: 0, missed: 0 });
      assert.deepEqual(opens.CLICK_ID, { right: 1, wrong: 0, missed: 0 });
      // The share of matched iPhones depends on the matching rules and on shared addresses.
      assert.equal(answers('IOS', true).length, 5);
      if (summary.addresses === 'one') return;
      assert.ok(installs.FINGERPRINT.right >= 3, JSON.stringify(installs));
      for (const tally of [installs, opens])
        for (const [method, { wrong }] of Object.entries(tally)) assert.equal(wrong, 0, method);
    });

    it('all reported records are stored in a new app, whose keys are revoked', async () => {
      const { appId, taps, installs, events } = await result('--people', '9');
      const count = async (what: string) =>
        Number((await stored(`select count(*) from ${what} and app_id = '${appId}'`))[0]?.[0]);
      for (const [method, { right, wrong, missed }] of Object.entries(installs))
        assert.equal(
          await count(`installs where attribution_method = '${method}'`),
          right + wrong + missed,
          method,
        );
      assert.equal(await count('clicks where true'), taps);
      assert.equal(await count('events where true'), events);
      assert.equal(await count('api_keys where revoked_at is null'), 0);
      assert.equal(await count('api_keys where true'), 2);
    });

    it('an existing app gets sandbox records only', async () => {
      const [[appId]] = (await stored("select id from apps where name = 'My app'")) as [[string]];
      assert.equal((await result('--people', '3', '--app', appId)).appId, appId);
      const kinds = (table: string) =>
        stored(`select distinct sandbox from ${table} where app_id = '${appId}'`);
      for (const table of ['links', 'clicks', 'installs', 'opens', 'events'])
        assert.deepEqual(await kinds(table), [[1]], table);
    });

    it('without a terminal stdout has examples, a table and the next commands; progress goes to stderr', async () => {
      const { code, stdout, stderr } = await run('--people', '4', '--one-address');
      assert.equal(code, 0);
      assert.match(stderr, /^0 of 4 people done/);
      for (const control of ['\r', '\x1b']) assert.ok(!(stderr + stdout).includes(control));
      assert.match(stdout, /^Simulated 4 people on /);
      assert.match(stdout, /All of them had one address: /);
      assert.match(stdout, /^ {2}installs [\d.]+ s later +→ INSTALL_REFERRER, creator-week, .*: right$/m);
      assert.match(stdout, /^ +right +wrong +missed\nInstalls\n {2}INSTALL_REFERRER +1 +0 +0$/m);
      assert.match(stdout, /^npx throughline apps show [0-9a-f-]{36}$/m);
      const [, url, installId] =
        /^curl -H "X-Api-Key: \$KEY" (\S+)\/v1\/installs\/(\S+)$/m.exec(stdout) ?? [];
      assert.equal(url, server.url);
      assert.deepEqual(await stored(`select count(*) > 0 from installs where id = '${installId}'`), [
        [engine === 'sqlite' ? 1 : true],
      ]);
    });
  });

describe('simulate', () => {
  const isOneLine = /^[^\n]+\n$/;

  it('without a server it prints one line with the cause and the remedy, and exits with code 1', async (t) => {
    const place = await makePlace('sqlite');
    t.after(() => place.remove());
    const neverStarted = await runCommand(['simulate'], place.env);
    // A killed server leaves its address file behind.
    announce(place, `http://127.0.0.1:${await freePort()}`);
    const killed = await runCommand(['simulate'], place.env);
    for (const { code, stdout, stderr } of [neverStarted, killed]) {
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, isOneLine);
      assert.match(stderr, /No server .*npm start/);
    }
  });

  it('sends no request, and so no admin token, to another program on the port of a killed server', async (t) => {
    const place = await makePlace('sqlite');
    const asked: unknown[] = [];
    const other = createServer((request, response) => {
      asked.push(request.url);
      response.end('{}');
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    t.after(async () => {
      other.close();
      await place.remove();
    });
    // As a killed server leaves it.
    openDataDir(readConfig(place.env)).release();
    announce(place, `http://127.0.0.1:${(other.address() as AddressInfo).port}`);
    const { code, stderr } = await runCommand(['simulate'], place.env);
    assert.deepEqual([code, asked], [1, []]);
    assert.match(stderr, /No server .*npm start/);
    assert.equal((await runCommand(['apps', 'create', 'name=First'], place.env)).code, 0);
    assert.deepEqual(asked, []);
  });

  it('reports an unexpected response in one line and exits with code 1', async (t) => {
    const place = await makePlace('sqlite');
    const other = createServer((_request, response) => response.end('<h1>Welcome</h1>'));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const held = openDataDir(readConfig(place.env));
    t.after(async () => {
      held.release();
      other.close();
      await place.remove();
    });
    held.announce(`http://127.0.0.1:${(other.address() as AddressInfo).port}`);
    const { code, stdout, stderr } = await runCommand(['simulate'], place.env);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, isOneLine);
    assert.match(stderr, /Unexpected status 200 instead of 201 \(creating an app\)/);
  });

  it('fails with its usage for an unknown option', async () => {
    for (const args of [['--person', '3'], ['--people', '0'], ['--people', '1001'], ['everybody']])
      await assert.rejects(simulate(args), (error) => {
        assert.ok(error instanceof StartError, String(error));
        assert.match(error.message, /Usage:\nthroughline simulate /, args.join(' '));
        return true;
      });
  });
});

function announce({ dataDir }: Place, url: string): void {
  writeFileSync(join(dataDir, 'server.json'), JSON.stringify({ url, pid: 1 }));
  writeFileSync(join(dataDir, 'admin-token'), 'a token for tests only\n');
}
