/**
 * The image as Docker itself builds and runs it, alone and with Compose. The distroless Node and Caddy are stand-ins under
 * the names that the files use, since tests reach no registry of images.
 */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { makeCompose } from '../helpers/containers/compose.ts';
import { type Docker, lacksDocker, startDocker } from '../helpers/containers/docker.ts';
import { callerBehindCaddy } from '../helpers/containers/https.ts';
import { BASE, buildConsole, IMAGE, makeBundle, ROOT } from '../helpers/containers/image.ts';
import { keysIn, tapAndInstall } from '../helpers/containers/journey.ts';
import { makeCaddy, makeNodeBase } from '../helpers/containers/stand-ins.ts';
import { freePort } from '../helpers/free-port.ts';
import { waitFor } from '../helpers/wait-for.ts';

/** As docs/guide/docker.md runs it; the network is there since the daemon has no default one. */
const RUN = [
  ...['run', '--detach', '--init', '--restart', 'unless-stopped', '--stop-timeout', '45', '--read-only'],
  ...['--tmpfs', '/tmp:size=64m,mode=1777', '--cap-drop', 'all', '--security-opt', 'no-new-privileges'],
  ...['--network', 'apart'],
];

const lacks = lacksDocker();
let engine: Docker;
before(async () => {
  if (lacks !== false) return;
  engine = await startDocker();
  buildConsole();
  const bundle = makeBundle(join(engine.folder, 'bundle'));
  makeNodeBase(engine, 'amd64', BASE);
  // The first stage is not built, but Docker looks for its base.
  const args = ['--build-context', `bundle=${bundle}`, '--build-arg', `NODE_IMAGE=${BASE}`];
  engine.docker('build', ...args, '--tag', IMAGE, ROOT);
  engine.docker('network', 'create', 'apart');
});
after(() => engine?.close());

describe('the image on Docker', { skip: lacks, timeout: 300_000 }, () => {
  const docker = (...args: readonly string[]) => engine.docker(...args);
  const state = (name: string, field: string) => docker('inspect', '--format', `{{.${field}}}`, name).trim();
  const start = (name: string, ...options: readonly string[]) =>
    docker(...RUN, '--name', name, ...options, IMAGE);
  const until = (what: string, look: () => boolean) =>
    waitFor(what, () => (look() ? true : undefined), { everyMs: 200 });

  it('serves a tap and an install, and is started again with its data after it was killed', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    start(
      'one',
      '--volume',
      'one:/data',
      '--publish',
      `127.0.0.1:${port}:8080`,
      '--env',
      `PUBLIC_URL=${url}`,
    );
    const keys = keysIn(docker('exec', 'one', 'throughline', 'setup'));
    await tapAndInstall((path, init) => fetch(url + path, init), { keys, shortCode: 'docker' });
    assert.match(docker('exec', 'one', 'throughline', 'doctor'), /ok +\/data is private/);

    process.kill(Number(state('one', 'State.Pid')), 'SIGKILL');
    await until('a restart', () => state('one', 'RestartCount') === '1');
    const link = () => fetch(`${url}/v1/links/docker`, { headers: { 'x-api-key': keys.live } });
    await waitFor('the link', async () => ((await link().catch(() => null))?.ok ? true : undefined));
  });

  it('ends at once on a stop in the first moment of its start', () => {
    start('brief', '--volume', 'brief:/data');
    const beganMs = performance.now();
    docker('stop', 'brief');
    assert.ok(performance.now() - beganMs < 10_000, `stopped after ${performance.now() - beganMs} ms`);
    assert.match(state('brief', 'State.ExitCode'), /^(0|143)$/);
  });

  it('says once what a person must mend, and is not started for ever', async () => {
    const ofRoot = join(engine.folder, 'of-root');
    mkdirSync(ofRoot);
    start('refused', '--volume', `${ofRoot}:/data`);
    await until('the refusal', () => docker('logs', 'refused').includes('waits to be stopped'));
    assert.match(docker('logs', 'refused'), /^DATA_DIR \/data is not writable: .*chown -R 65532 FOLDER/);
    assert.equal(state('refused', 'RestartCount'), '0');
    docker('stop', 'refused');
    assert.equal(state('refused', 'State.ExitCode'), '78');
  });

  it('serves over HTTPS with compose.yaml and Caddy, also after down and up', async () => {
    makeCaddy(engine, 'docker.io/library/caddy:2');
    const [http, https] = [await freePort(), await freePort()];
    const compose = await makeCompose(engine, 'compose.yaml', {
      ...{ DOMAIN: 'localhost', HTTP_PORT: `${http}`, HTTPS_PORT: `${https}` },
      PUBLIC_URL: `https://localhost:${https}`,
    });
    await compose('up', '--detach');
    const call = await callerBehindCaddy(compose, https, engine.folder);
    const keys = keysIn(await compose('exec', '-T', 'throughline', 'throughline', 'setup'));
    await tapAndInstall(call, { keys, shortCode: 'compose' });
    await compose('down');
    await compose('up', '--detach');
    await callerBehindCaddy(compose, https, engine.folder);
    const link = await call('/v1/links/compose', { headers: { 'x-api-key': keys.live } });
    assert.equal(link.status, 200);
    await compose('stop');
    assert.match(await compose('ps', '--all', 'throughline'), /Exited \(0\)/);
    await compose('down', '--volumes');
  });

  it('is healthy by Docker’s own checks, and stops cleanly', async () => {
    await until('a healthy container', () => state('one', 'State.Health.Status') === 'healthy');
    docker('stop', 'one');
    assert.equal(state('one', 'State.ExitCode'), '0');
  });
});
