/** First starts at a terminal, with a used DATA_DIR, with PORT=0, and of two processes. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { engines, type Place } from '../helpers/engines.ts';
import { freePort } from '../helpers/free-port.ts';
import { commandLine, makeUnconfiguredPlace, OWN_ENV, startServer } from '../helpers/process.ts';
import { queryStored } from '../helpers/stored.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const KEYS = /svc_(?:live|test)_(?:pub_)?us_\w+/g;
const hasTerminal = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;

describe('a first start at a terminal', {
  skip: hasTerminal ? false : 'needs `script` of util-linux',
}, () => {
  it('prints its keys and the address of the set-up, and writes no file; the next start prints none', async (t) => {
    const place = await makeUnconfiguredPlace(engines[0] ?? 'sqlite');
    t.after(() => place.remove());
    const first = await showAtTerminal(place);
    assert.equal(new Set(first.match(KEYS)).size, 4);
    assert.equal(first.match(/^curl /gm)?.length, 3);
    assert.match(first, /\/console\/setup#[\w-]{43}\r?$/m);
    assert.ok(!existsSync(join(place.dataDir, 'first-keys.txt')));
    assert.doesNotMatch(await showAtTerminal(place), /svc_/);
  });
});

describe('a first start with a new database in a used DATA_DIR', () => {
  it('keeps the file with the keys of the old database', async (t) => {
    const place = await makeUnconfiguredPlace('sqlite');
    t.after(() => place.remove());
    await (await startServer(place)).end('SIGTERM');
    const keys = (name: string) => readFileSync(join(place.dataDir, name), 'utf8');
    const before = keys('first-keys.txt');
    for (const end of ['', '-wal', '-shm'])
      rmSync(join(place.dataDir, `throughline.db${end}`), { force: true });
    await (await startServer(place)).end('SIGTERM');
    assert.equal(keys('first-keys.txt'), before);
    const [key = ''] = keys('first-keys-2.txt').match(KEYS) ?? [];
    assert.ok(key !== '' && !before.includes(key));
  });
});

describe('a first start with PORT=0', () => {
  it('uses the assigned port for the command line, the instructions and short URLs', async (t) => {
    const place = await makeUnconfiguredPlace(engines[0] ?? 'sqlite');
    const server = spawn(process.execPath, [MAIN, 'serve'], {
      env: { ...OWN_ENV, ...place.env, PORT: '0' },
      cwd: dirname(place.dataDir),
      stdio: 'ignore',
    });
    const ended = new Promise((resolve) => server.once('close', resolve));
    t.after(async () => {
      server.kill('SIGKILL');
      await ended;
      await place.remove();
    });
    const announced = join(place.dataDir, 'server.json');
    while (!existsSync(announced) && server.exitCode === null)
      await new Promise((resolve) => setTimeout(resolve, 50));
    const { url } = JSON.parse(readFileSync(announced, 'utf8')) as { url: string };
    const { port } = new URL(url);
    const shown = readFileSync(join(place.dataDir, 'first-keys.txt'), 'utf8');
    assert.deepEqual(new Set(shown.match(/(?<=http:\/\/)[^/\s]+/g)), new Set([`localhost:${port}`]));
    const [key = ''] = shown.match(KEYS) ?? [];
    const link = await fetch(`${url}/v1/links`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: '{"deepLinkPath":"/","shortCode":"hello"}',
    });
    assert.equal(((await link.json()) as { shortUrl: string }).shortUrl, `http://localhost:${port}/l/hello`);
  });
});

describe('two processes that start concurrently on an empty PostgreSQL', {
  skip: !engines.includes('postgres'),
}, () => {
  it('create one app, and one of them shows its keys', async (t) => {
    const place = await makeUnconfiguredPlace('postgres');
    const places = ['one', 'two'].map((name) => {
      const dataDir = join(place.dataDir, name);
      return { ...place, dataDir, env: { ...place.env, DATA_DIR: dataDir } };
    });
    const servers = await Promise.all(places.map((one) => startServer(one)));
    t.after(async () => {
      await Promise.all(servers.map((server) => server.end('SIGKILL')));
      await place.remove();
    });
    assert.equal((await queryStored(place, 'select id from apps')).length, 1);
    assert.equal((await queryStored(place, 'select id from api_keys')).length, 4);
    assert.equal(places.filter(({ dataDir }) => existsSync(join(dataDir, 'first-keys.txt'))).length, 1);
  });
});

/** Starts the service at a terminal and stops it once it is ready; returns the terminal's output. */
async function showAtTerminal(place: Place): Promise<string> {
  const port = await freePort();
  const child = spawn('script', ['-qec', commandLine('serve'), '/dev/null'], {
    env: { ...OWN_ENV, ...place.env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  while (!(await isReady(port)) && child.exitCode === null)
    await new Promise((resolve) => setTimeout(resolve, 50));
  const { pid } = JSON.parse(readFileSync(join(place.dataDir, 'server.json'), 'utf8')) as { pid: number };
  process.kill(pid, 'SIGTERM');
  await ended;
  return text.replaceAll('\r\n', '\n');
}

async function isReady(port: number): Promise<boolean> {
  return await fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}
