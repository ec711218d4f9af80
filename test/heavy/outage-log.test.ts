/** The log of an outage: a line when the database goes, counts, and a line when it is back, whatever is asked meanwhile. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { engines, makePlace } from '../helpers/engines.ts';
import { startPostgresServer } from '../helpers/postgres-server.ts';
import { makePlayLink, startServer } from '../helpers/process.ts';
import { waitFor } from '../helpers/wait-for.ts';

const KEY = 'svc_live_0123456789abcdef';
const TAPS = 4_000;
const TAPPERS = 40;
const CALLERS = 4;
const AWAY_MS = 12_000;
const MAX_LINES = 30;

interface Line {
  readonly level: number;
  readonly msg: string;
  readonly condition?: string;
  readonly count?: number;
  readonly seconds?: number;
}

describe('the log of an outage', { skip: !engines.includes('postgres') }, () => {
  it('has some lines without a stack for thousands of calls that failed, and says when the database is back', {
    timeout: 180_000,
  }, async (t) => {
    const postgres = await startPostgresServer();
    const place = await makePlace('postgres', { server: postgres.url });
    const server = await startServer(place, { BOOTSTRAP_LIVE_KEY: KEY, LOG_LEVEL: 'info' });
    t.after(async () => {
      await server.end('SIGKILL');
      await postgres.stop();
    });
    const code = await makePlayLink(server.url, KEY);
    await tap(server.url, code);

    const before = linesOf(server.output()).length;
    await postgres.goAway('is shut down');
    const goneMs = Date.now();
    const statuses: number[] = [];
    let taps = 0;
    const isAway = () => taps < TAPS || Date.now() - goneMs < AWAY_MS;
    const tappers = Array.from({ length: TAPPERS }, async () => {
      while (taps < TAPS) {
        taps += 1;
        statuses.push(await tap(server.url, `unread${taps}`));
      }
    });
    const callers = Array.from({ length: CALLERS }, async () => {
      while (isAway()) statuses.push(await makeLink(server.url), await tap(server.url, code));
    });
    await Promise.all([...tappers, ...callers]);
    await postgres.comeBack();
    const lines = () => linesOf(server.output()).slice(before);
    const back = await waitFor('the line that the database is back', async () =>
      lines().find(({ msg }) => msg === 'The database is back'),
    );
    await sleep(2_000);

    assert.ok(statuses.filter((status) => status === 503).length >= TAPS, 'too few calls failed');
    assert.ok(lines().length <= MAX_LINES, `${lines().length} lines:\n${JSON.stringify(lines(), null, 1)}`);
    assert.deepEqual(
      lines().filter((line) => /\n {4}at /.test(JSON.stringify(line).replaceAll('\\n', '\n'))),
      [],
    );
    const [first] = lines().filter(({ condition }) => condition === 'database away');
    assert.match(first?.msg ?? '', /^The database is unavailable/);
    assert.ok((back.count ?? 0) >= TAPS, JSON.stringify(back));
    assert.ok((back.seconds ?? 0) * 1_000 >= AWAY_MS / 2, JSON.stringify(back));
  });
});

describe('the log of readers that go away', () => {
  it('has no line of them', { timeout: 90_000 }, async (t) => {
    const place = await makePlace('sqlite');
    const server = await startServer(place, { BOOTSTRAP_LIVE_KEY: KEY, LOG_LEVEL: 'info' });
    t.after(async () => {
      await server.end('SIGKILL');
      await place.remove();
    });
    const code = await makePlayLink(server.url, KEY);
    await Promise.all(Array.from({ length: 3_000 }, () => tap(server.url, code)));
    const before = linesOf(server.output()).length;
    const body = JSON.stringify({ ipAddress: '127.0.0.1' });
    const requests = [
      'GET /v1/clicks HTTP/1.1\r\nAccept: text/csv\r\n\r\n',
      'GET /v1/clicks HTTP/1.1\r\nAccept: application/x-ndjson\r\n\r\n',
      `POST /v1/privacy/export HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      'POST /v1/links HTTP/1.1\r\nContent-Length: 500\r\n\r\n{"deep',
    ];
    for (let afterMs = 0; afterMs < 40; afterMs++)
      await Promise.all(requests.map((request) => leave(server.url, request, afterMs)));
    await sleep(1_000);
    assert.deepEqual(linesOf(server.output()).slice(before), []);
  });
});

/** Sends a request and resets the connection while the response is made or sent. */
async function leave(url: string, request: string, afterMs: number): Promise<void> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(request.replace('\r\n', `\r\nHost: x\r\nX-Api-Key: ${KEY}\r\n`));
  socket.on('error', () => undefined);
  await sleep(afterMs);
  socket.resetAndDestroy();
}

async function tap(url: string, code: string): Promise<number> {
  const answer = await fetch(`${url}/l/${code}`, { redirect: 'manual' });
  await answer.arrayBuffer();
  return answer.status;
}

async function makeLink(url: string): Promise<number> {
  const answer = await fetch(`${url}/v1/links`, {
    method: 'POST',
    headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ deepLinkPath: '/' }),
  });
  await answer.arrayBuffer();
  return answer.status;
}

function linesOf(output: string): Line[] {
  return output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line);
}
