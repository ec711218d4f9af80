/** A full or read-only disk: redirects go on, and every acknowledged record is stored once. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  breakDown,
  fill,
  makeReadOnly,
  makeRoom,
  mountDisk,
  mountImage,
  noDisk,
  noImage,
  repair,
  unmount,
} from '../helpers/disks.ts';
import { engines, makePlace, type Place } from '../helpers/engines.ts';
import { assertKept, PatientLoad } from '../helpers/patient-phones.ts';
import { makePlayLink, type RunningServer, runCommand, startServer } from '../helpers/process.ts';
import { waitFor } from '../helpers/wait-for.ts';

const KEY = 'svc_live_0123456789abcdef';
const FAULT_MS = 3_000;
const POLL_MS = 100;
const LINKS = 5;

interface Fault {
  readonly skip: string | false;
  /** Whether the service must be restarted afterwards. */
  readonly restarts: boolean;
  /** Whether calls pause while it begins: Linux can leave a write hanging that races with a forced error of ext4. */
  readonly beginsInPause: boolean;
  /** Whether installs, events and links are stored during the fault. */
  readonly storesCalls: boolean;
  make(): string;
  begin(disk: string): void;
  end(disk: string): void;
}

const FAULTS: Record<string, Fault> = {
  'is full': {
    skip: noDisk,
    restarts: false,
    beginsInPause: false,
    storesCalls: false,
    make: mountDisk,
    begin: (disk) => fill(disk),
    end: makeRoom,
  },
  'has only the space left that the click journal reserves for other writes': {
    skip: noDisk,
    restarts: false,
    beginsInPause: false,
    storesCalls: true,
    make: mountDisk,
    begin: (disk) => fill(disk, 48),
    end: makeRoom,
  },
  // ext4 remounts itself read-only when it finds an error.
  'is read-only': {
    skip: noImage(),
    restarts: true,
    beginsInPause: true,
    storesCalls: false,
    make: mountImage,
    begin: breakDown,
    end: repair,
  },
};

/** The faults mostly wait, so two run at a time. */
describe('a disk', { concurrency: 2 }, () => {
  // With PostgreSQL, both kinds of full disk stop only the journal.
  for (const engine of engines)
    for (const [what, fault] of Object.entries(FAULTS))
      if (engine === 'sqlite' || !fault.storesCalls)
        describe(`on ${engine} a data directory whose disk ${what} for a while`, {
          skip: fault.skip,
          concurrency: false,
        }, () => {
          let place: Place;
          let disk = '';
          let server: RunningServer | undefined;
          let load: PatientLoad;
          let ended: unknown;
          /** Statuses of `/readyz` since the first tap without a click ID. */
          const readiness: number[] = [];

          before(async () => {
            const whole = await makePlace(engine);
            disk = fault.make();
            const dataDir = join(disk, 'data');
            place = { ...whole, dataDir, env: { ...whole.env, DATA_DIR: dataDir } };
            const env = { BOOTSTRAP_LIVE_KEY: KEY, TRUST_PROXY: '1' };
            server = await startServer(place, env);
            const { url } = server;
            const shortCodes = await Promise.all(Array.from({ length: LINKS }, () => makePlayLink(url, KEY)));
            load = new PatientLoad({ url, key: KEY, shortCodes, tappers: 4, phones: 4, events: 40 });
            await waitFor('every link to be cached', () => load.taps.length > 30 * LINKS || undefined);
            if (fault.beginsInPause) await load.pauseFor(() => fault.begin(disk));
            else fault.begin(disk);
            const untilMs = performance.now() + FAULT_MS;
            while (performance.now() < untilMs) {
              if (load.taps.some(({ clickId }) => clickId === null))
                readiness.push((await fetch(`${url}/readyz`)).status);
              await sleep(POLL_MS);
            }
            load.mayBeAway = fault.restarts;
            try {
              if (fault.restarts) assert.equal((await server.end('SIGTERM')).signal, null);
              fault.end(disk);
              if (fault.restarts) server = await startServer(place, { ...env, PORT: new URL(url).port });
            } finally {
              load.mayBeAway = false;
            }
            await waitFor('the service to be ready again', async () =>
              (await fetch(`${url}/readyz`)).ok ? true : undefined,
            );
            const answersBefore = load.answers.length;
            await waitFor(
              'calls to succeed again',
              () => load.answers.length > answersBefore + 20 || undefined,
            );
            await load.stop();
            ended = await server.end('SIGTERM');
          });
          after(async () => {
            await server?.end('SIGKILL');
            await place?.remove();
            if (disk !== '') unmount(disk);
          });

          it('redirects every tap, without a click ID if the click could not be stored', () => {
            assert.deepEqual(
              load.taps.filter(({ status }) => status !== 302),
              [],
            );
            assert.ok(
              load.taps.some(({ clickId }) => clickId === null),
              'every click was stored',
            );
          });

          it('is not ready while clicks are lost', () => {
            assert.ok(readiness.length > 5, `only ${readiness.length} polls`);
            assert.deepEqual(new Set(readiness.slice(1)), new Set([503]));
          });

          it('answers calls that cannot be stored with 503 and Retry-After, and no call with another error', () => {
            for (const { status, retryAfter, path } of load.answers) {
              if (status < 300) continue;
              assert.equal(`${path} ${status}`, `${path} 503`);
              assert.match(retryAfter ?? '', /^[1-9]\d*$/);
            }
            // With PostgreSQL the disk holds the click journal only.
            assert.equal(
              load.answers.some(({ status }) => status === 503),
              engine === 'sqlite' && !fault.storesCalls,
            );
          });

          it('stores every acknowledged record once', async () => {
            await assertKept(place, load);
          });

          it('leaves an intact database, and stops with code 0', async () => {
            assert.deepEqual(ended, { code: 0, signal: null });
            if (engine !== 'sqlite') return;
            const db = new DatabaseSync(join(place.dataDir, 'throughline.db'), { readOnly: true });
            assert.equal(db.prepare('pragma integrity_check').get()?.integrity_check, 'ok');
            db.close();
          });
        });
});

for (const engine of engines)
  describe(`on ${engine} a start with a data directory that is read-only`, {
    skip: noDisk,
    concurrency: true,
  }, () => {
    for (const isUsed of [false, true])
      it(`ends with one line that names it, ${isUsed ? 'even if it was used before' : 'if it is empty'}`, async (t) => {
        const place = await makePlace(engine);
        const disk = mountDisk();
        t.after(async () => {
          unmount(disk);
          await place.remove();
        });
        const env = { ...place.env, DATA_DIR: disk };
        if (isUsed) await (await startServer({ ...place, env })).end('SIGTERM');
        makeReadOnly(disk);
        for (const command of engine === 'sqlite' ? ['serve', 'migrate'] : ['serve']) {
          const { code, stderr } = await runCommand([command], env);
          assert.equal(code, 78);
          assert.match(
            stderr,
            new RegExp(`^DATA_DIR ${disk} is not writable: EROFS[^\\n]+ReadWritePaths=[^\\n]+\\n$`),
          );
        }
      });
  });
