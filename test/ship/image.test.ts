/**
 * The image: built by buildah, run by runc. The base is a stand-in from packages of Debian and npm under the name of the
 * published distroless Node, since tests reach no registry of images.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startContainer } from '../helpers/containers/container.ts';
import {
  buildConsole,
  buildImage,
  compressedBytes,
  filesOf,
  IMAGE,
  makeBundle,
} from '../helpers/containers/image.ts';
import { keysIn, tapAndInstall } from '../helpers/containers/journey.ts';
import { makeStore, type Store } from '../helpers/containers/store.ts';
import { lacksContainers } from '../helpers/containers/tools.ts';

const MAX_COMPRESSED_BYTES = 60e6;
const ELF_AARCH64 = 183;

describe('the image', { skip: lacksContainers(), timeout: 300_000 }, () => {
  let store: Store;
  let bundle: string;
  before(() => {
    store = makeStore();
    buildConsole();
    bundle = makeBundle(join(store.folder, 'bundle'));
    buildImage(store, { image: IMAGE, bundle });
  });
  after(() => store?.close());

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
      assert.equal(container.stop(), 0, container.logs());
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
    assert.equal(container.logs().match(/PUBLIC_URL/g)?.length ?? 0, 0);
    assert.throws(() => store.podman('healthcheck', 'run', container.name));
    assert.equal(container.stop(), 78);
  });
});
