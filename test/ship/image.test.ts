/**
 * The image, built by buildah and run by runc, alone and by the compose files as they are, with Compose 2.26 on podman.
 * Tests reach no registry of images: the distroless Node, Caddy, PostgreSQL and Prometheus are stand-ins from packages of
 * Debian and npm, under the names that the files use.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeCompose } from '../helpers/containers/compose.ts';
import { startContainer } from '../helpers/containers/container.ts';
import { type Call, callerBehindCaddy } from '../helpers/containers/https.ts';
import {
  buildConsole,
  buildImage,
  buildWithFirstStage,
  compressedBytes,
  filesOf,
  IMAGE,
  makeBundle,
} from '../helpers/containers/image.ts';
import { keysIn, tapAndInstall } from '../helpers/containers/journey.ts';
import { OLD_DESTINATION, storeOldLink } from '../helpers/containers/old-volume.ts';
import { makeCaddy, makePostgres, makePrometheus } from '../helpers/containers/stand-ins.ts';
import { makeStore, type Store } from '../helpers/containers/store.ts';
import { lacksContainers } from '../helpers/containers/tools.ts';
import { freePort } from '../helpers/free-port.ts';
import { waitFor } from '../helpers/wait-for.ts';

const MAX_COMPRESSED_BYTES = 60e6;
const ELF_AARCH64 = 183;

const lacks = lacksContainers();
let store: Store;
let bundle: string;
before(() => {
  if (lacks !== false) return;
  store = makeStore();
  buildConsole();
  bundle = makeBundle(join(store.folder, 'bundle'));
  buildImage(store, { image: IMAGE, bundle });
});
after(() => store?.close());

describe('the image', { skip: lacks, timeout: 600_000 }, () => {
  const inspect = (image: string, format: string) =>
    store.podman('image', 'inspect', '--format', format, image).trim();

  it('has at most 60 MB compressed with zstd, a user other than root, no shell, and labels', () => {
    const bytes = compressedBytes(store, IMAGE);
    assert.ok(bytes <= MAX_COMPRESSED_BYTES, `${bytes} bytes`);
    assert.equal(inspect(IMAGE, '{{.Config.User}} {{.Config.StopSignal}}'), '65532:65532 SIGTERM');
    const labels = JSON.parse(inspect(IMAGE, '{{json .Config.Labels}}'));
    assert.equal(labels['org.opencontainers.image.version'], IMAGE.split(':')[1]);
    assert.equal(labels['org.opencontainers.image.licenses'], 'MIT');
    assert.throws(
      () => store.podman('run', '--rm', '--entrypoint', '/bin/sh', IMAGE, '-c', 'true'),
      /no such file/,
    );
  });

  it('sorts more than /tmp holds, on the volume, and has folders of its user for new volumes', () => {
    const sort = `const { DatabaseSync } = require('node:sqlite');
      const db = new DatabaseSync('/data/sorted.db');
      db.exec('pragma cache_size = -1000; create table t (a text)');
      db.exec('insert into t select hex(randomblob(100)) from (with recursive n(i) as (values (1) union all select i + 1 from n where i < 40000) select i from n)');
      db.exec('create index by_a on t (a)');
      process.stdout.write(String(require('node:fs').statSync('/backups').uid));`;
    const hardened = ['--read-only', '--read-only-tmpfs=false', '--tmpfs', '/tmp:size=1m,mode=1777'];
    const node = ['--entrypoint', '/nodejs/bin/node', IMAGE, '--eval', sort];
    assert.equal(store.podman('run', '--rm', ...hardened, '--volume', 'sorted:/data', ...node), '65532');
  });

  it('has the licences and the bill of materials of what it contains', () => {
    const folder = join(store.folder, 'listed');
    filesOf(store, IMAGE, ['/app/sbom.cdx.json', '/app/THIRD-PARTY-LICENSES.txt'], folder);
    const { bomFormat, components } = JSON.parse(readFileSync(join(folder, 'sbom.cdx.json'), 'utf8'));
    assert.equal(bomFormat, 'CycloneDX');
    const licences = readFileSync(join(folder, 'THIRD-PARTY-LICENSES.txt'), 'utf8');
    const named = new Set(components.map(({ name }: { name: string }) => name));
    for (const name of ['fastify', 'kysely', 'pg', 'react']) {
      assert.ok(named.has(name), `${name} in the bill`);
      assert.ok(licences.includes(`${name} `), `${name} in the licences`);
    }
  });

  it('is the same to the byte when it is built again from the sources', () => {
    const again = makeBundle(join(store.folder, 'bundle-again'));
    buildImage(store, { image: 'localhost/one', bundle, format: 'oci' });
    buildImage(store, { image: 'localhost/two', bundle: again, format: 'oci' });
    const digest = (image: string) => inspect(image, '{{.Digest}} {{.RootFS.Layers}}');
    assert.equal(digest('localhost/two'), digest('localhost/one'));
  });

  it('is assembled for arm64, which this test does not run, with the same program', () => {
    const image = 'localhost/arm64';
    buildImage(store, { image, bundle, architecture: 'arm64' });
    assert.equal(inspect(image, '{{.Os}}/{{.Architecture}}'), 'linux/arm64');
    const folder = join(store.folder, 'arm64');
    filesOf(store, image, ['/nodejs/bin/node', '/app/throughline.js'], folder);
    assert.equal(readFileSync(join(folder, 'node')).readUInt16LE(18), ELF_AARCH64);
    assert.equal(
      readFileSync(join(folder, 'throughline.js'), 'utf8'),
      readFileSync(join(bundle, 'throughline.js'), 'utf8'),
    );
  });

  it('serves from a new volume, without a writable root, capabilities and privileges, and keeps its data', async () => {
    const first = await startContainer(store, { volume: 'fresh' });
    await first.ready();
    const shown = first.exec('throughline', 'setup');
    const keys = keysIn(shown);
    assert.match(shown, /\/console\/setup#[\w-]{43}$/m);
    assert.doesNotMatch(first.exec('throughline', 'setup'), /svc_/);
    assert.doesNotMatch(first.logs(), /svc_/);
    await tapAndInstall((path, init) => fetch(first.url + path, init), { keys, shortCode: 'first' });
    store.podman('healthcheck', 'run', first.name);
    assert.equal(first.state('Health.Status'), 'healthy');
    assert.equal(first.exec('throughline', '--version').trim(), IMAGE.split(':')[1]);
    assert.equal(first.stop(), 0);

    const second = await startContainer(store, { volume: 'fresh' });
    await second.ready();
    const link = await fetch(`${second.url}/v1/links/first`, { headers: { 'x-api-key': keys.live } });
    assert.equal(link.status, 200);
    assert.equal(second.stop(), 0);
  });

  it('ends at once on SIGTERM in the first second of its start, and starts again on the same volume', async () => {
    // Behind an init (docker run --init): a process that is PID 1 itself loses signals until Node runs.
    for (const afterMs of [0, 300, 900]) {
      const container = await startContainer(store, { volume: 'interrupted' });
      await sleep(afterMs);
      const beganMs = performance.now();
      // 143: the signal came before Node ran, which had nothing to end yet.
      assert.ok([0, 143].includes(container.stop()), container.logs());
      assert.ok(performance.now() - beganMs < 10_000, `stopped after ${performance.now() - beganMs} ms`);
    }
    const last = await startContainer(store, { volume: 'interrupted' });
    await last.ready();
    assert.match(last.exec('throughline', 'setup'), /\/console\/setup#/);
    last.stop();
  });

  it('waits with one line after a start that a person must mend, in place of a restart for ever', async () => {
    const container = await startContainer(store, { volume: 'refused', env: { PUBLIC_URL: 'links' } });
    await sleep(3_000);
    assert.equal(container.state('Running'), 'true');
    assert.equal(container.logs().match(/^PUBLIC_URL /gm)?.length, 1, container.logs());
    assert.throws(() => store.podman('healthcheck', 'run', container.name));
    assert.equal(container.stop(), 78);
  });

  it('serves the links of data that an earlier version stored', async () => {
    const volume = join(store.folder, 'old');
    await storeOldLink(volume, 'old-link');
    const container = await startContainer(store, {
      volume,
      env: { SECRET_KEY: randomBytes(24).toString('hex') },
    });
    await container.ready();
    const tap = await fetch(`${container.url}/l/old-link`, { redirect: 'manual' });
    assert.equal(tap.headers.get('location'), OLD_DESTINATION);
    assert.equal(container.stop(), 0);
  });

  it('is built by its first stage from the sources, too', {
    skip: process.env.SHIP_FULL === undefined && 'installs all packages: SHIP_FULL=1',
  }, () => {
    const built = buildWithFirstStage(store, 'localhost/from-sources');
    assert.match(built, /npm run bundle/);
    assert.equal(
      store.podman('run', '--rm', 'localhost/from-sources', '--version').trim(),
      IMAGE.split(':')[1],
    );
  });
});

describe('compose', { skip: lacks, timeout: 600_000 }, () => {
  it('compose.yaml serves a tap and an install over HTTPS, with SQLite and a certificate of Caddy', async () => {
    makeCaddy(store, 'docker.io/library/caddy:2');
    const [http, https] = [await freePort(), await freePort()];
    const settings = {
      ...{ DOMAIN: 'localhost', HTTP_PORT: `${http}`, HTTPS_PORT: `${https}` },
      PUBLIC_URL: `https://localhost:${https}`,
    };
    const compose = await makeCompose(store, 'compose.yaml', settings);
    await compose('config', '--quiet');
    await compose('up', '--detach');
    const call = await callerBehindCaddy(compose, https, store.folder);
    const shown = await compose('exec', '-T', 'throughline', 'throughline', 'setup');
    assert.ok(shown.includes(`https://localhost:${https}/console/setup#`));
    const keys = keysIn(shown);
    await tapAndInstall(call, { keys, shortCode: 'compose' });
    await compose('exec', '-T', 'throughline', 'throughline', 'db', 'backup', '/backups/by-hand');
    await compose('cp', 'throughline:/backups/by-hand', join(store.folder, 'by-hand'));
    assert.ok(existsSync(join(store.folder, 'by-hand/throughline.db')));
    const plain = await fetch(`http://localhost:${http}/l/compose`, { redirect: 'manual' });
    assert.equal(plain.headers.get('location'), 'https://localhost/l/compose');
    await compose('restart', 'throughline');
    await callerBehindCaddy(compose, https, store.folder);
    const link = await call('/v1/links/compose', { headers: { 'x-api-key': keys.live } });
    assert.equal(link.status, 200);
    await compose('down', '--volumes');
  });

  it('compose.postgres.yaml fails no tap while one process after the other starts anew, and Prometheus reads both', async () => {
    makePostgres(store, 'docker.io/library/postgres:18');
    makePrometheus(store, 'docker.io/prom/prometheus:v3.5.0');
    const [http, https, prometheus] = [await freePort(), await freePort(), await freePort()];
    const secret = () => randomBytes(24).toString('hex');
    const compose = await makeCompose(store, 'compose.postgres.yaml', {
      ...{ DOMAIN: 'localhost', HTTP_PORT: `${http}`, HTTPS_PORT: `${https}` },
      ...{ PROMETHEUS_PORT: `${prometheus}`, POSTGRES_PASSWORD: secret(), SECRET_KEY: secret() },
      ...{ ADMIN_TOKEN: secret(), METRICS_TOKEN: secret() },
    });
    await compose('config', '--quiet');
    await compose('up', '--detach');
    const call = await callerBehindCaddy(compose, https, store.folder);
    const shown = [
      await compose('exec', '-T', 'throughline-1', 'throughline', 'setup'),
      await compose('exec', '-T', 'throughline-2', 'throughline', 'setup'),
    ];
    const keys = keysIn(shown.find((text) => text.includes('svc_live_')) ?? '');
    await tapAndInstall(call, { keys, shortCode: 'compose', pauseMs: 3_000 });

    let isOver = false;
    const answers = tapUntil(call, () => isOver);
    for (const name of ['throughline-1', 'throughline-2']) {
      await compose('up', '--detach', '--no-deps', '--force-recreate', name);
      await waitFor(`${name} to be healthy`, () =>
        compose('exec', '-T', name, 'throughline-health').then(
          () => true,
          () => undefined,
        ),
      );
    }
    isOver = true;
    const { failed, taps } = await answers;
    assert.ok(taps > 20, `${taps} taps`);
    assert.equal(failed, 0, `${failed} of ${taps} taps failed`);
    await waitFor('Prometheus to read both', async () => ((await upAt(prometheus)) === 2 ? true : undefined));
    await compose('down', '--volumes');
  });
});

/** Taps one after another. */
async function tapUntil(call: Call, isOver: () => boolean): Promise<{ taps: number; failed: number }> {
  let [taps, failed] = [0, 0];
  while (!isOver()) {
    const answer = await call('/l/compose', { redirect: 'manual' }).catch(() => null);
    await answer?.arrayBuffer().catch(() => undefined);
    taps += 1;
    if (answer === null || answer.status >= 400) failed += 1;
  }
  return { taps, failed };
}

/** How many processes Prometheus reads. */
async function upAt(port: number): Promise<number> {
  const url = `http://127.0.0.1:${port}/api/v1/query?query=up%3D%3D1`;
  const answer = await fetch(url).catch(() => null);
  if (answer === null || !answer.ok) return 0;
  const { data } = (await answer.json()) as { data: { result: readonly unknown[] } };
  return data.result.length;
}
