/** A disk that is full for a while, or read-only: visitors go on, and what was acknowledged is there, once. */
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
} from './disks.ts';
import { engines, makePlace, type Place } from './engines.ts';
import { assertKept, PatientLoad } from './patient-phones.ts';
import { makePlayLink, type RunningServer, runCommand, startServer } from './process.ts';
import { waitFor } from './wait-for.ts';

const KEY = 'svc_live_0123456789abcdef';
const TROUBLE_MS = 6_000;
const BESIDE_MS = 2_000;
const LOOK_EVERY_MS = 100;
const LINKS = 5;

interface Trouble {
  readonly skip: string | false;
  /** Whether the service has to be started anew once it has passed. */
  readonly restarts: boolean;
  /** Whether installs, events and links are stored meanwhile. */
  readonly storesCalls: boolean;
  make(): string;
  begin(disk: string): void;
  end(disk: string): void;
}

/** What happens to the disk of `DATA_DIR`, and how it passes. */
const TROUBLES: Record<string, Trouble> = {
  'is full': {
    skip: noDisk,
    restarts: false,
    storesCalls: false,
    make: mountDisk,
    begin: (disk) => fill(disk),
    end: makeRoom,
  },
  'has only the space left that clicks leave to everything else': {
    skip: noDisk,
    restarts: false,
    storesCalls: true,
    make: mountDisk,
    begin: (disk) => fill(disk, 48),
    end: makeRoom,
  },
  // ext4 turns itself read-only when it finds a fault.
  'is read-only': {
    skip: noImage(),
    restarts: true,
    storesCalls: false,
    make: mountImage,
    begin: breakDown,
    end: repair,
  },
};

for (const engine of engines)
  for (const [what, trouble] of Object.entries(TROUBLES))
    describe(`on ${engine} a data directory whose disk ${what} for a while`, { skip: trouble.skip }, () => {
      let place: Place;
      let disk = '';
      let server: RunningServer | undefined;
      let load: PatientLoad;
      let ended: unknown;
      /** What `/readyz` said once a click was lost. */
      const readiness: number[] = [];

      before(async () => {
        const whole = await makePlace(engine);
        disk = trouble.make();
        const dataDir = join(disk, 'data');
        place = { ...whole, dataDir, env: { ...whole.env, DATA_DIR: dataDir } };
        const env = { BOOTSTRAP_LIVE_KEY: KEY, TRUST_PROXY: '1' };
        server = await startServer(place, env);
        const { url } = server;
        const shortCodes = await Promise.all(Array.from({ length: LINKS }, () => makePlayLink(url, KEY)));
        load = new PatientLoad({ url, key: KEY, shortCodes, tappers: 4, phones: 4, events: 40 });
        await sleep(BESIDE_MS);
        await waitFor('every link was tapped', async () =>
          load.taps.length > 10 * LINKS ? true : undefined,
        );
        trouble.begin(disk);
        const untilMs = performance.now() + TROUBLE_MS;
        while (performance.now() < untilMs) {
          if (load.taps.some(({ clickId }) => clickId === null))
            readiness.push((await fetch(`${url}/readyz`)).status);
          await sleep(LOOK_EVERY_MS);
        }
        load.mayBeAway = trouble.restarts;
        try {
          if (trouble.restarts) assert.equal((await server.end('SIGTERM')).signal, null);
          trouble.end(disk);
          if (trouble.restarts) server = await startServer(place, { ...env, PORT: new URL(url).port });
        } finally {
          load.mayBeAway = false;
        }
        await waitFor('it is ready again', async () =>
          (await fetch(`${url}/readyz`)).ok ? true : undefined,
        );
        await sleep(BESIDE_MS);
        await load.stop();
        ended = await server.end('SIGTERM');
      });
      after(async () => {
        await server?.end('SIGKILL');
        await place?.remove();
        if (disk !== '') unmount(disk);
      });

      it('redirects every visitor, without a click ID where the click could not be kept', () => {
        assert.deepEqual(
          load.taps.filter(({ status }) => status !== 302),
          [],
        );
        assert.ok(
          load.taps.some(({ clickId }) => clickId === null),
          'every click could be kept',
        );
      });

      it('is not ready for as long as clicks are lost', () => {
        assert.ok(readiness.length > 5, `only ${readiness.length} looks`);
        assert.deepEqual(new Set(readiness.slice(1)), new Set([503]));
      });

      it('tells callers to come back where nothing can be stored, and nobody that something went wrong', () => {
        for (const { status, retryAfter, path } of load.answers) {
          if (status < 300) continue;
          assert.equal(`${path} ${status}`, `${path} 503`);
          assert.match(retryAfter ?? '', /^[1-9]\d*$/);
        }
        // With the data in PostgreSQL the disk holds nothing but clicks on their way.
        assert.equal(
          load.answers.some(({ status }) => status === 503),
          engine === 'sqlite' && !trouble.storesCalls,
        );
      });

      it('lost nothing of what it acknowledged, and has nothing twice', async () => {
        await assertKept(place, load);
      });

      it('has a whole database, and ends well', async () => {
        assert.deepEqual(ended, { code: 0, signal: null });
        if (engine !== 'sqlite') return;
        const db = new DatabaseSync(join(place.dataDir, 'throughline.db'), { readOnly: true });
        assert.equal(db.prepare('pragma integrity_check').get()?.integrity_check, 'ok');
        db.close();
      });
    });

for (const engine of engines)
  describe(`on ${engine} a start with a data directory that is read-only`, { skip: noDisk }, () => {
    for (const isUsed of [false, true])
      it(`ends with one line that names it, ${isUsed ? 'also where it was used before' : 'where it is empty'}`, async (t) => {
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
          assert.equal(code, 1);
          assert.match(stderr, new RegExp(`^DATA_DIR ${disk} cannot be written: [^\\n]+\\n$`));
        }
      });
  });
