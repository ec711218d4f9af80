/**
 * The compose files as they are, with Compose 2.26 on podman. Caddy, PostgreSQL and Prometheus are stand-ins from packages
 * of Debian and npm, under the names of the images that the files use.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Compose, makeCompose } from '../helpers/containers/compose.ts';
import { type Call, httpsCaller } from '../helpers/containers/https.ts';
import { buildConsole, buildImage, IMAGE, makeBundle } from '../helpers/containers/image.ts';
import { keysIn, tapAndInstall } from '../helpers/containers/journey.ts';
import { makeCaddy, makePostgres, makePrometheus } from '../helpers/containers/stand-ins.ts';
import { makeStore, type Store } from '../helpers/containers/store.ts';
import { lacksContainers } from '../helpers/containers/tools.ts';
import { freePort } from '../helpers/free-port.ts';
import { waitFor } from '../helpers/wait-for.ts';

describe('compose', { skip: lacksContainers(), timeout: 300_000 }, () => {
  let store: Store;
  before(() => {
    store = makeStore();
    buildConsole();
    buildImage(store, { image: IMAGE, bundle: makeBundle(join(store.folder, 'bundle')) });
    makeCaddy(store, 'docker.io/library/caddy:2');
  });
  after(() => store?.close());

  /** Waits until Caddy has made its certificate and the service is ready. */
  async function callerOf(compose: Compose, port: number): Promise<Call> {
    const copy = join(store.folder, 'root.crt');
    const authority = await waitFor('the certificate of Caddy', async () => {
      try {
        await compose('cp', 'caddy:/data/caddy/pki/authorities/local/root.crt', copy);
        return readFileSync(copy, 'utf8');
      } catch {
        return undefined;
      }
    });
    const call = httpsCaller(port, authority);
    const isReady = async () =>
      (await call('/readyz').catch(() => null))?.status === 200 ? true : undefined;
    await waitFor('readiness behind Caddy', isReady, { withinMs: 60_000 }).catch(async (error: Error) => {
      throw new Error(`${error.message}\n${await compose('logs')}`);
    });
    return call;
  }

  it('compose.yaml serves a tap and an install over HTTPS, with SQLite and a certificate of Caddy', async () => {
    const [http, https] = [await freePort(), await freePort()];
    const settings = { DOMAIN: 'localhost', HTTP_PORT: `${http}`, HTTPS_PORT: `${https}` };
    const compose = await makeCompose(store, 'compose.yaml', settings);
    await compose('config', '--quiet');
    await compose('up', '--detach');
    const call = await callerOf(compose, https);
    const keys = keysIn(await compose('exec', '-T', 'throughline', 'throughline', 'setup'));
    await tapAndInstall(call, { keys, shortCode: 'compose' });
    const plain = await fetch(`http://localhost:${http}/l/compose`, { redirect: 'manual' });
    assert.equal(plain.headers.get('location'), 'https://localhost/l/compose');
    await compose('restart', 'throughline');
    await callerOf(compose, https);
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
    const call = await callerOf(compose, https);
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
