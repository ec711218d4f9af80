/** After an erasure, the person's data is searched for in every stored byte and every log line. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { engines, makePlace, type Place } from '../../helpers/engines.ts';
import {
  ask,
  completed,
  countsByDay,
  filesWith,
  KEYS_ENV,
  LIVE_KEY,
  type MarkedPerson,
  newAddress,
  plantPerson,
  RECORDS,
  requestErasure,
  whereKept,
} from '../../helpers/erasure-scene.ts';
import { freePort } from '../../helpers/free-port.ts';
import { type RunningServer, startServer } from '../../helpers/process.ts';
import { queryStored } from '../../helpers/stored.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { RECEIVER_ENV } from '../../helpers/webhook-receiver.ts';
import { callServer } from '../../helpers/webhook-scene.ts';

const ENV = { ...KEYS_ENV, ...RECEIVER_ENV, LOG_LEVEL: 'debug' };
const LINK = {
  deepLinkPath: '/welcome',
  campaignId: 'spring',
  androidDestination: 'https://play.google.com/store/apps/details?id=com.example',
};
const EVENTS = ['event.recorded', 'install.attributed', 'install.organic', 'open.attributed'];
/** Longer than an erasure, so that attempts are in flight during it. */
const SLOW_MS = 1_500;
const WAYS = ['ipAddress', 'userId', 'both'] as const;

for (const engine of engines)
  describe(`an erased person on ${engine}`, () => {
    let place: Place;
    let server: RunningServer;
    let echo: Server;
    let shortCode = '';

    before(async () => {
      place = await makePlace(engine);
      server = await startServer(place, ENV);
      echo = await startEcho();
      const { port } = echo.address() as AddressInfo;
      const nobody = await freePort();
      for (const url of [
        `http://127.0.0.1:${port}/fast`,
        `http://127.0.0.1:${port}/slow`,
        `http://127.0.0.1:${nobody}/down`,
      ]) {
        const body = { url, secret: 'a secret', events: EVENTS };
        await callServer(server, LIVE_KEY, ['POST', '/v1/webhooks', body]);
      }
      shortCode = (await callServer(server, LIVE_KEY, ['POST', '/v1/links', LINK])).shortCode;
    });
    after(async () => {
      await server?.end('SIGKILL');
      echo?.closeAllConnections();
      echo?.close();
      await place?.remove();
    });

    for (const way of WAYS)
      it(`by ${way}: appears in no row, file or log line, and the counts are unchanged`, async () => {
        const person = await plantPerson(server, shortCode);
        const hash = await hashOf(place, person);
        const texts = [person.marker, person.address, person.userId, hash];
        await toldOf(place, person);
        const counts = await countsByDay(place);

        const { address: ipAddress, userId } = person;
        const who = { both: { ipAddress, userId }, ipAddress: { ipAddress }, userId: { userId } }[way];
        await completed(server, await requestErasure(server, who));

        assert.deepEqual(await whereKept(place, texts), []);
        assert.deepEqual(await countsByDay(place), counts);
        const lines = server.output().split('\n');
        assert.deepEqual(
          lines.filter((line) => texts.some((text) => line.includes(text))),
          [],
        );
        if (engine === 'sqlite') assert.deepEqual(backedUp(place, texts), []);
        // Slow receivers are still answering, and failed attempts would be retried.
        await settled(place);
        assert.deepEqual(await whereKept(place, texts), []);
      });

    it('appears in the audit log only through the requester’s address', async () => {
      const [requester, requesterEmail] = ['user jane', 'jane@example.com'];
      const ipAddress = newAddress();
      await ask({ server, address: ipAddress }, `/l/${shortCode}`);
      await completed(server, await requestErasure(server, { ipAddress, userId: requester, requesterEmail }));
      const kept = await whereKept(place, [requesterEmail, ipAddress, requester]);
      assert.ok(kept.some((where) => where.startsWith('audit_log')));
      for (const where of kept) assert.match(where, /^(audit_log|throughline\.db(-wal)?): jane@/);
    });
  });

/** Echoes each request: at once, or after the sender's timeout. */
async function startEcho(): Promise<Server> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () =>
      setTimeout(() => response.end(Buffer.concat(chunks)), request.url === '/slow' ? SLOW_MS : 0),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

async function hashOf(place: Place, { marker }: MarkedPerson): Promise<string> {
  const like = `select ip_hash from clicks where user_agent like '%${marker}%'`;
  return await waitFor('the clicks to be stored', async () => {
    const hashes = (await queryStored(place, like)).map(({ ip_hash }) => String(ip_hash));
    assert.ok(new Set(hashes).size <= 1);
    return hashes.length >= 5 ? hashes[0] : undefined;
  });
}

/** Waits until the person's data is in every possible place, which proves that the search finds it. */
async function toldOf(place: Place, { marker }: MarkedPerson): Promise<void> {
  const expected = [...RECORDS, 'webhook_messages', 'webhook_attempts'];
  await waitFor('the marker to be everywhere', async () => {
    const kept = await whereKept(place, [marker]);
    return expected.every((table) => kept.some((where) => where.startsWith(`${table}:`))) ? true : undefined;
  });
  if (place.databaseUrl === null) assert.notDeepEqual(filesWith(place.dataDir, [marker]), []);
  const waiting = 'select id from webhook_deliveries';
  assert.notDeepEqual(await queryStored(place, waiting), []);
}

async function settled(place: Place): Promise<void> {
  const waiting = 'select id from webhook_deliveries';
  await waitFor('all deliveries to end', async () =>
    (await queryStored(place, waiting)).length === 0 ? true : undefined,
  );
}

/** The texts found in a backup of the running service's database. */
function backedUp(place: Place, texts: readonly string[]): string[] {
  const directory = mkdtempSync(join(tmpdir(), 'throughline-backup-'));
  const db = new DatabaseSync(join(place.dataDir, 'throughline.db'), { readOnly: true });
  try {
    db.exec(`vacuum into '${join(directory, 'backup.db')}'`);
    return filesWith(directory, texts);
  } finally {
    db.close();
    rmSync(directory, { recursive: true });
  }
}
