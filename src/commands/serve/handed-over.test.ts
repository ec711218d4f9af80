import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { takeHandedOver, withAddresses, withoutEffect } from './handed-over.ts';

const folder = mkdtempSync(join(tmpdir(), 'throughline-sockets-'));
after(() => rmSync(folder, { recursive: true }));

/** What a process makes of the descriptors that it is given as 3, 4, …, and what a child of it would inherit. */
function take(
  descriptors: readonly number[],
  names = '',
  count = descriptors.length,
): { error?: string; [detail: string]: unknown } {
  const module = new URL('handed-over.ts', import.meta.url).href;
  const script = `import { execFileSync } from 'node:child_process';
    import { takeHandedOver, withAddresses } from '${module}';
    process.env.LISTEN_PID = String(process.pid);
    try {
      const sockets = takeHandedOver(process.env);
      const { HOST, PORT, METRICS_PORT } = withAddresses({}, sockets);
      const inherited = execFileSync('sh', ['-c', 'ls -l /proc/$$/fd; env'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
      console.log(JSON.stringify({ HOST, PORT, METRICS_PORT, inherited }));
    } catch (error) { console.log(JSON.stringify({ error: error.message })); }
    process.exit();`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module-typescript', '-e', script], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, LISTEN_FDS: String(count), LISTEN_FDNAMES: names },
    stdio: ['ignore', 'pipe', 'pipe', ...descriptors],
  });
  assert.ok(stdout !== '', stderr);
  return JSON.parse(stdout);
}

function descriptorOf(owner: object): number {
  return (owner as { readonly _handle: { readonly fd: number } })._handle.fd;
}

function portOf(server: Server): string {
  return String((server.address() as AddressInfo).port);
}

async function listening(path?: string) {
  const server = createServer();
  await once(path === undefined ? server.listen(0, '127.0.0.1') : server.listen(path), 'listening');
  after(() => server.close());
  return server;
}

describe('sockets that a service manager hands over', {
  skip: process.platform !== 'linux' && 'needs /proc',
}, () => {
  it('replace HOST, PORT and METRICS_PORT, and reach no process that this one starts', async () => {
    const [main, metrics] = [await listening(), await listening()];
    const taken = take([descriptorOf(metrics), descriptorOf(main)], 'metrics:throughline.socket');
    assert.deepEqual(
      [taken.HOST, taken.PORT, taken.METRICS_PORT],
      ['127.0.0.1', portOf(main), portOf(metrics)],
    );
    // Standard output may be a socket, too.
    assert.doesNotMatch(String(taken.inherited), / (?![012] )\d+ -> socket:|LISTEN_/);
  });

  it('are refused with their number, name and what is wanted, where they are something else', async () => {
    const file = openSync(join(folder, 'file'), 'w');
    const unix = await listening(join(folder, 'unix'));
    const udp = createSocket('udp4').bind(0, '127.0.0.1');
    await once(udp, 'listening');
    const server = await listening();
    const client = connect(Number(portOf(server)), '127.0.0.1');
    await once(client, 'connect');
    after(() => client.destroy());
    after(() => udp.close());
    const udpHandle = Object.getOwnPropertySymbols(udp)
      .map((symbol) => (udp as unknown as Record<symbol, { handle?: { fd: number } }>)[symbol]?.handle)
      .find((handle) => handle !== undefined);
    for (const [kind, descriptor, why] of [
      ['a file', file, /is no TCP socket/],
      ['a UDP socket', udpHandle?.fd ?? -1, /is no TCP socket/],
      ['a Unix socket', descriptorOf(unix), /is a Unix socket/],
      ['a connection', descriptorOf(client), /is a connection of one client/],
    ] as const) {
      const { error } = take([descriptor], 'web');
      assert.match(error ?? '', why, kind);
      assert.match(error ?? '', /^Descriptor 3 \(“web”\) of LISTEN_FDS .* ListenStream=127\.0\.0\.1:8080/);
    }
    closeSync(file);
    assert.match(
      take([descriptorOf(server)], '', 2).error ?? '',
      /^Descriptor 4 of LISTEN_FDS is no TCP socket/,
    );
    assert.match(
      take([descriptorOf(server), descriptorOf(server)], 'a:b').error ?? '',
      /^LISTEN_FDS hands over 2 sockets \(a, b\).*\[::\]:8080/,
    );
  });

  it('are left alone, with a warning, where LISTEN_PID names another process', () => {
    const env = { LISTEN_FDS: '1', LISTEN_PID: '7', LISTEN_FDNAMES: 'web' };
    const sockets = takeHandedOver(env, 8);
    assert.deepEqual([sockets.main, sockets.metrics, env], [null, null, {}]);
    assert.match(sockets.warning ?? '', /LISTEN_PID names another process/);
    assert.equal(takeHandedOver({}, 8).warning, null);
  });

  it('cannot be fewer than one, or no number', () => {
    for (const count of ['0', '', '-1', 'x', '1e3', '1000'])
      assert.throws(() => takeHandedOver({ LISTEN_FDS: count, LISTEN_PID: '8' }, 8), /must be the number/);
  });

  it('say which settings have no effect', async () => {
    const server = await listening();
    const socket = connect(Number(portOf(server)), '127.0.0.1');
    after(() => socket.destroy());
    const sockets = { main: socket, metrics: null, warning: null };
    const config = { host: '127.0.0.1', port: 8080, metricsPort: null };
    assert.deepEqual(withoutEffect({ HOST: ' 127.0.0.1', PORT: '', METRICS_PORT: '1' }, config, sockets), []);
    assert.deepEqual(withoutEffect({ PORT: '9000' }, config, sockets), [
      'PORT has no effect: the socket that the service manager handed over has 8080. Change the socket unit',
    ]);
    assert.deepEqual(withAddresses({ A: '1' }, { main: null, metrics: null, warning: null }), { A: '1' });
  });
});
