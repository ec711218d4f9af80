import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readConfig } from '../../config.ts';
import { DAY_MS, HOUR_MS, isoTime } from '../../lib/clock.ts';
import { writeLastBackup } from '../../lib/data-dir/index.ts';
import { checkBackup } from './backup.ts';
import { attempt, type Finding } from './check.ts';
import { checkDataDir } from './data-dir.ts';
import { withDatabase } from './database.ts';
import { checkAddress } from './service.ts';
import { checkSettings } from './settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'throughline-test-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const DATA_DIR = join(folder, 'data');
mkdirSync(DATA_DIR, { mode: 0o700 });
const file = join(folder, 'file');
writeFileSync(file, '');

describe('what a start refuses is a fault', () => {
  for (const [name, value] of [
    ['GEOIP_FILE', file],
    ['BACKUP_DIR', join(DATA_DIR, 'backups')],
  ] as const)
    it(`${name}=${value}`, () => {
      const { findings } = checkSettings({ DATA_DIR, [name]: value });
      assert.deepEqual(
        findings.filter(({ check }) => check === 'settings.valid').map(({ status }) => status),
        ['fault'],
      );
    });

  it('a DATA_DIR that is a file', async () => {
    assert.deepEqual(statuses(await checkDataDir({ dataDir: file })), ['disk.writable fault']);
  });

  it('a database in which a check meets damage', async () => {
    const findings = await withDatabase(readConfig({ DATA_DIR }), () =>
      attempt('secret.key', () => {
        throw Object.assign(new Error('database disk image is malformed'), { errcode: 11 });
      }),
    );
    assert.deepEqual(statuses(findings), ['database.open fault']);
  });
});

describe('the data folder', () => {
  const data = join(folder, 'open');
  const look = async () =>
    (await checkDataDir({ dataDir: data })).find(({ check }) => check === 'disk.private');
  before(() => {
    mkdirSync(data);
    chmodSync(data, 0o755);
    writeFileSync(join(data, 'private'), '', { mode: 0o600 });
  });

  it('that others may enter, as in a container, is private while its files are', async () => {
    assert.equal((await look())?.status, 'ok');
  });

  it('with a file that others may read is not, unless they cannot enter', async () => {
    writeFileSync(join(data, 'readable'), '');
    chmodSync(join(data, 'readable'), 0o644);
    const { status, text = '' } = (await look()) ?? {};
    assert.equal(status, 'warning');
    assert.match(text, /open\/readable/);
    chmodSync(data, 0o700);
    assert.equal((await look())?.status, 'ok');
  });
});

describe('the backup', () => {
  it('is old after the days that the health of the service has', async () => {
    const dataDir = mkdtempSync(join(folder, 'backup-'));
    const ageOf = async (days: number, env: Record<string, string> = {}) => {
      await writeLastBackup({ dataDir }, { at: isoTime(Date.now() - days * DAY_MS - HOUR_MS), folder });
      return statuses([await checkBackup(readConfig({ DATA_DIR: dataDir, ...env }))].flat()).at(-1);
    };
    const scheduled = { BACKUP_DIR: join(folder, 'backups') };
    assert.deepEqual(
      [await ageOf(7), await ageOf(8), await ageOf(1, scheduled), await ageOf(2, scheduled)],
      ['backup.age ok', 'backup.age warning', 'backup.age ok', 'backup.age warning'],
    );
  });

  const look = async (dir: string) => [await checkBackup(readConfig({ DATA_DIR, BACKUP_DIR: dir }))].flat();

  it('of a folder that cannot be made is a warning, and the advice is not to set what is set', async () => {
    const findings = await look(join(file, 'backups'));
    assert.deepEqual(statuses(findings), ['backup.folder warning', 'backup.age warning']);
    for (const { mend } of findings) assert.doesNotMatch(mend ?? '', /^Set BACKUP_DIR/);
  });

  it('of a folder that is not there yet is not', async () => {
    assert.equal(statuses(await look(join(folder, 'new', 'backups')))[0], 'backup.folder ok');
  });
});

describe('the address that the service sees', () => {
  const ask = async (
    caller: object,
    { trustProxy, isOfMachine }: { trustProxy: number | string[] | null; isOfMachine: boolean },
  ) => {
    const server = createServer((_, response) => response.end(JSON.stringify(caller))).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { status } = await checkAddress(url, { adminToken: 'a token', trustProxy, isOfMachine });
    server.closeAllConnections();
    server.close();
    return status;
  };
  const forged = { address: '192.0.2.66', isForwarded: true };

  it('is a fault if the proxy removes X-Forwarded-For', async () => {
    const removed = { address: '127.0.0.1', isForwarded: false };
    assert.equal(await ask(removed, { trustProxy: 1, isOfMachine: false }), 'fault');
  });

  it('is a fault if it is that of a proxy which TRUST_PROXY does not name', async (t) => {
    const ofProxy = { address: '127.0.0.1', isForwarded: true };
    const setting = { trustProxy: ['10.0.0.0/8'], isOfMachine: false };
    assert.equal(await ask(ofProxy, setting), 'ok', 'a name of this machine');
    t.mock.method(globalThis, 'fetch', async () => Response.json(ofProxy));
    const { status } = await checkAddress('https://203.0.113.7', { adminToken: 'a token', ...setting });
    assert.equal(status, 'fault');
  });

  it('may be made up on this machine if TRUST_PROXY names it, as in the Debian package, and not elsewhere', async () => {
    const trustProxy = ['127.0.0.1', '::1'];
    assert.equal(await ask(forged, { trustProxy, isOfMachine: true }), 'ok');
    assert.equal(await ask(forged, { trustProxy, isOfMachine: false }), 'fault');
    assert.equal(
      await ask(forged, { trustProxy: ['127.0.0.0/8', '192.0.0.0/8'], isOfMachine: true }),
      'fault',
    );
    assert.equal(await ask(forged, { trustProxy: 1, isOfMachine: true }), 'fault');
  });
});

function statuses(findings: readonly Finding[]): string[] {
  return findings.map(({ check, status }) => `${check} ${status}`);
}
