/** The first start of the program: the app, keys and files that it creates. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { engines, type Place } from '../helpers/engines.ts';
import { freePort } from '../helpers/free-port.ts';
import {
  callCommand,
  makeUnconfiguredPlace,
  type RunningServer,
  runCommand,
  startServer,
} from '../helpers/process.ts';
import { queryStored } from '../helpers/stored.ts';

const KEYS = /svc_(?:live|test)_(?:pub_)?us_\w+/g;
const SETUP_ADDRESS = /^ {2}(\S+\/console\/setup#[\w-]{43})$/m;

for (const engine of engines) {
  describe(`the first start on ${engine}`, () => {
    let place: Place;
    let server: RunningServer;
    let shown: string;
    before(async () => {
      place = await makeUnconfiguredPlace(engine);
    });
    after(async () => {
      await server?.end('SIGKILL');
      await place?.remove();
    });

    it('creates no tables and keys while its port is in use; the next start creates and shows them', async (t) => {
      const other = createServer();
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
      t.after(() => other.close());
      const port = String((other.address() as { port: number }).port);
      const { code, stderr } = await runCommand(['serve'], { ...place.env, PORT: port });
      assert.equal(code, 1);
      assert.match(stderr, /^PORT [^\n]+\n$/);
      assert.ok(!existsSync(join(place.dataDir, 'first-keys.txt')));
      await assert.rejects(queryStored(place, 'select id from apps'));
      server = await startServer(place);
      shown = readFileSync(join(place.dataDir, 'first-keys.txt'), 'utf8');
      assert.ok(shown.includes(`http://localhost:${new URL(server.url).port}/`), shown);
      assert.ok(!shown.includes(`:${port}/`));
      const [key = ''] = shown.match(KEYS) ?? [];
      const answer = await fetch(`${server.url}/v1/links`, { headers: { 'x-api-key': key } });
      assert.equal(answer.status, 200);
    });

    it('creates one app with a key of each kind', async () => {
      const keys = await queryStored(place, 'select kind from api_keys order by kind');
      assert.deepEqual(
        keys.map(({ kind }) => kind),
        ['live', 'live_publishable', 'test', 'test_publishable'],
      );
      assert.equal((await queryStored(place, 'select id from apps')).length, 1);
      assert.equal(new Set(shown.match(KEYS)).size, 4);
    });

    it('stores secrets in files that only their owner can read', () => {
      const secrets = ['first-keys.txt', 'admin-token', 'server.json'];
      if (engine === 'sqlite') secrets.push('secret-key');
      for (const name of secrets) assert.equal(modeOf(join(place.dataDir, name)), 0o600, name);
      assert.equal(modeOf(place.dataDir), 0o700);
    });

    it('prints the path of the keys, and no key, without a terminal', () => {
      const lines = server.output().trim().split('\n');
      assert.deepEqual(
        lines.filter((line) => !line.startsWith('{')),
        [
          `The keys of the first app are in ${join(place.dataDir, 'first-keys.txt')}. “throughline setup” shows them once`,
        ],
      );
      const adminToken = readFileSync(join(place.dataDir, 'admin-token'), 'utf8').trim();
      for (const secret of [...(shown.match(KEYS) ?? []), adminToken])
        assert.ok(!server.output().includes(secret));
    });

    it('shows three commands from a link to an attributed install', async () => {
      const commands = shown.split('\n').filter((line) => line.startsWith('curl '));
      assert.equal(commands.length, 3);
      const outputs: string[] = [];
      for (const command of commands) outputs.push((await promisify(execFile)('sh', ['-c', command])).stdout);
      const [link = '', tap = '', install = ''] = outputs;
      assert.equal(JSON.parse(link).shortCode, 'hello');
      assert.match(tap, /^HTTP\/1\.1 302 /);
      const { attributed, method, clickId, campaignId } = JSON.parse(install);
      assert.deepEqual(
        { attributed, method, campaignId },
        { attributed: true, method: 'FINGERPRINT', campaignId: 'first' },
      );
      assert.equal((await queryStored(place, 'select id from clicks'))[0]?.id, clickId);
    });

    it('gives the first keys once, by a command beside the server, and each time a new address of the set-up', async () => {
      const file = join(place.dataDir, 'first-keys.txt');
      const first = await callCommand(['setup'], place.env);
      assert.equal(first.code, 0, first.stderr);
      assert.deepEqual(first.stdout.match(KEYS), shown.match(KEYS));
      assert.ok(!existsSync(file));
      const [, addressBefore] = shown.match(SETUP_ADDRESS) ?? [];
      const [, address = ''] = first.stdout.match(SETUP_ADDRESS) ?? [];
      assert.notEqual(address, addressBefore);
      const second = await callCommand(['setup'], place.env);
      assert.equal(second.code, 0, second.stderr);
      assert.equal(second.stdout.match(KEYS), null);
      assert.match(second.stdout, SETUP_ADDRESS);
    });

    it('is the only start that creates and prints keys', async () => {
      await server.end('SIGTERM');
      server = await startServer(place);
      assert.doesNotMatch(server.output(), /svc_|first-keys|keys of the first app/);
      assert.equal((await queryStored(place, 'select id from apps')).length, 1);
      const [key = ''] = shown.match(KEYS) ?? [];
      const answer = await fetch(`${server.url}/v1/links/hello`, { headers: { 'x-api-key': key } });
      assert.equal(answer.status, 200);
    });

    it('owns its data directory: a second process exits, and the first continues', async () => {
      const port = String(await freePort());
      const { code, stdout, stderr } = await runCommand(['serve'], { ...place.env, PORT: port });
      assert.equal(code, 1);
      assert.equal(stdout, '');
      assert.equal(stderr, `Another process is using ${place.dataDir}. Stop it, or set another DATA_DIR.\n`);
      assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
    });
  });
}

function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}
