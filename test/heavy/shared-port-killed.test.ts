/** Processes that share a port are killed under load: the other one serves, and every acknowledged record is stored once. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertCounted } from '../helpers/counts.ts';
import { engines, makePlace, type Place } from '../helpers/engines.ts';
import { Load } from '../helpers/load.ts';
import { makePlayLink } from '../helpers/process.ts';
import { KEY, type SharingProcess, startSharing } from '../helpers/shared-port-scene.ts';
import { journalFiles, queryStored } from '../helpers/stored.ts';

const PROCESSES = 2;
const KILLS = 2;
const skip = !engines.includes('postgres');

describe('two processes that share a port and are killed in turn under load', { skip }, () => {
  let place: Place;
  let servers: SharingProcess[] = [];
  let load: Load;
  const endings: { code: number | null; signal: NodeJS.Signals | null }[] = [];

  before(async () => {
    place = await makePlace('postgres');
    servers = await startSharing(place, PROCESSES);
    const url = servers[0]?.url ?? '';
    const shortCodes = [await makePlayLink(url, KEY), await makePlayLink(url, KEY)];
    load = new Load({ url, key: KEY, shortCodes, taps: 20, installs: 3, outlivesBreaks: true });
    for (let kill = 0; kill < KILLS; kill++) {
      await load.reaches(300 * kill + 150, 8 * kill + 4);
      const victim = servers[kill % PROCESSES] as SharingProcess;
      await victim.end('SIGKILL');
      // The other process serves alone here.
      await load.reaches(load.clickIds.length + 150, 8 * kill + 8);
      servers[kill % PROCESSES] = await victim.restart();
    }
    await load.reaches(load.clickIds.length + 150, 8 * KILLS);
    await load.stop();
    for (const server of servers) endings.push(await server.end('SIGTERM'));
  });
  after(async () => {
    for (const server of servers) await server.end('SIGKILL');
    await place?.remove();
  });

  it('stop with code 0 and an empty journal each', () => {
    assert.deepEqual(
      endings,
      servers.map(() => ({ code: 0, signal: null })),
    );
    assert.deepEqual(journalFiles(place), []);
  });

  it('store and count every acknowledged click once', async () => {
    assert.equal(new Set(load.clickIds).size, load.clickIds.length);
    const rows = await queryStored(place, 'select id from clicks');
    const stored = new Set(rows.map(({ id }) => id));
    assert.equal(stored.size, rows.length);
    const lost = load.clickIds.filter((clickId) => !stored.has(clickId));
    assert.equal(lost.length, 0, `${lost.length} of ${load.clickIds.length} acknowledged clicks are lost`);
    await assertCounted(place);
  });

  it('store every acknowledged install with the method of its response', async () => {
    const rows = await queryStored(place, 'select id, attribution_method from installs');
    const stored = new Map(rows.map(({ id, attribution_method: method }) => [id, method]));
    assert.equal(stored.size, rows.length);
    assert.ok(load.answeredInstalls.length > 0);
    for (const { installId, answer } of load.answeredInstalls)
      assert.equal(stored.get(installId), answer?.method);
  });
});
