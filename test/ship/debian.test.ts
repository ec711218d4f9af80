/** The Debian package in a Debian that systemd has booted: from its installation to its purge. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BootedDebian, bootDebian, lacksDebian } from '../helpers/booted-debian.ts';
import { IPHONE, IPHONE_FINGERPRINT } from '../helpers/callers.ts';
import type { Block } from '../helpers/documents/blocks.ts';
import { blocksFor } from '../helpers/documents/listed.ts';
import { freePort } from '../helpers/free-port.ts';
import { busyAndIdleCallers, KeptAliveLoad } from '../helpers/kept-alive-load.ts';
import { makePlayLink } from '../helpers/process.ts';
import { RawConnection, rawRequest } from '../helpers/raw-http.ts';
import { waitFor } from '../helpers/wait-for.ts';

const ROOT = join(import.meta.dirname, '../..');
const UNIT = join(ROOT, 'deploy/debian/throughline.service');
const MAX_EXPOSURE = 1.5;
const DATA = '/var/lib/throughline';
const BETWEEN_MS = 1_000;
const [quickStart, ofPage, address, backup, restart] = blocksFor('test/ship/debian.test.ts');

describe('the unit', { skip: lacksDebian() }, () => {
  it('is valid, and exposes 1.5 at most', () => {
    const options = ['security', '--offline=true', `--threshold=${MAX_EXPOSURE * 10}`, '--no-pager', UNIT];
    const { status, stdout } = spawnSync('systemd-analyze', options, { encoding: 'utf8' });
    assert.equal(status, 0, stdout);
    assert.match(stdout, /Overall exposure level for throughline\.service: [01]\.\d/);
  });
});

describe('the package', { skip: lacksDebian() }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-packages-'));
  let debian: BootedDebian;
  let port: number;
  let url: string;
  let key: string;
  const [first, second] = ['0.1.0', '0.1.1'].map((name) => join(folder, `throughline_${name}_amd64.deb`));

  before(async () => {
    packageOf('0.1.0', first ?? '');
    packageOf('0.1.1', second ?? '');
    port = await freePort();
    url = `http://127.0.0.1:${port}`;
    debian = await bootDebian();
    for (const file of [first, `${first}.sha256`, second]) debian.give(file ?? '');
    await debian.must(machineOfReader(port));
  });
  after(async () => {
    await debian?.end();
    rmSync(folder, { recursive: true, force: true });
  });

  it('has the same bytes when it is made again', () => {
    const again = join(folder, 'again.deb');
    packageOf('0.1.0', again);
    assert.ok(readFileSync(again).equals(readFileSync(first ?? '')));
  });

  it('installs, and attributes an install to a tap', async () => {
    // As the guide changes the address; the default may be in use on this machine.
    await debian.must(
      `mkdir -p /etc/systemd/system/throughline.socket.d
       printf '[Socket]\\nListenStream=\\nListenStream=127.0.0.1:${port}\\n' > /etc/systemd/system/throughline.socket.d/address.conf`,
    );
    assert.equal(ofPage?.text, quickStart?.text);
    const keys = await paste(quickStart);
    assert.match(keys, new RegExp(`Throughline runs at ${url}\\. Next: sudo throughline setup`));
    assert.match(keys, /\/console\/setup#/);
    key = /svc_live_(?!pub_)[\w-]+/.exec(keys)?.[0] ?? '';
    const sdkKey = /svc_live_pub_[\w-]+/.exec(keys)?.[0] ?? '';
    const headers = {
      'user-agent': IPHONE,
      'accept-language': 'en-US,en;q=0.9',
      // The proxy on this machine is believed without a setting.
      'x-forwarded-for': '203.0.113.7',
    };
    const tap = await call(rawRequest('GET', `/l/${await makePlayLink(url, key)}`, headers));
    assert.equal(tap?.status, 200);
    const install = await fetch(`${url}/v1/sdk/install`, {
      method: 'POST',
      headers: { ...headers, 'x-api-key': sdkKey, 'content-type': 'application/json' },
      body: JSON.stringify({ fingerprint: IPHONE_FINGERPRINT }),
    });
    assert.equal(((await install.json()) as { method: string }).method, 'FINGERPRINT');
  });

  it('keeps data and settings from other users', async () => {
    const owners = await debian.must(
      `stat -c '%n %U:%G %a' ${DATA} ${DATA}/throughline.db /etc/throughline/env`,
    );
    assert.deepEqual(owners.trim().split('\n'), [
      `${DATA} throughline:throughline 700`,
      `${DATA}/throughline.db throughline:throughline 600`,
      '/etc/throughline/env root:throughline 640',
    ]);
  });

  it('has a command that works for root as the service’s user, and tells others to use sudo', async () => {
    const apps = JSON.parse(await debian.must('cd /root && throughline apps list')) as { id: string }[];
    const keys = JSON.parse(await debian.must(`throughline keys list ${apps[0]?.id}`)) as unknown[];
    assert.ok(keys.length > 0);
    await paste(backup);
    const owner = await debian.must('stat -c %U /var/backups/throughline/*/throughline.db');
    assert.equal(owner.trim(), 'throughline');
    for (const command of [
      'throughline db backup /root/backup',
      `throughline export installs --app ${apps[0]?.id} --output /root/installs.csv`,
    ]) {
      const { code, stderr } = await debian.run(command);
      assert.deepEqual([code, stderr.trim().split('\n').length], [1, 1], stderr);
      assert.match(stderr, /\/root\/.*permission denied/i);
    }
    const other = await debian.run("setpriv --reuid=nobody --clear-groups throughline keys list 'an app'");
    assert.deepEqual(
      [other.code, other.stdout, other.stderr],
      [
        1,
        '',
        'The settings and the data of Throughline belong to the user throughline. Run: sudo throughline keys list an app\n',
      ],
    );
    assert.equal(await debian.must('setpriv --reuid=nobody --clear-groups throughline --version'), '0.1.0\n');
  });

  it('starts again after a crash, and callers wait meanwhile', async () => {
    await debian.must('kill -KILL $(systemctl show --property MainPID --value throughline)');
    assert.equal((await call(rawRequest('GET', '/healthz')))?.status, 200);
  });

  it('reads a changed setting at a restart', async () => {
    await paste(address);
    const links = await fetch(`${url}/v1/links`, { headers: { 'x-api-key': key } });
    assert.match(await links.text(), /https:\/\/links\.example\.com\/l\//);
    await paste(restart);
    await isReady();
  });

  it('is upgraded under load without a failed request', async (t) => {
    const callers = busyAndIdleCallers(await makePlayLink(url, key));
    const load = new KeptAliveLoad({ url, key, callers });
    await sleep(BETWEEN_MS);
    await debian.must('apt-get install --yes /root/throughline_0.1.1_amd64.deb');
    await isReady();
    await sleep(BETWEEN_MS);
    await load.stop();
    t.diagnostic(
      `${JSON.stringify(Object.fromEntries(load.counts))}, longest ${Math.round(load.longestMs)} ms`,
    );
    assert.deepEqual(load.failures, {});
    assert.ok((load.counts.get('POST 200') ?? 0) > 20);
    assert.equal(await debian.must('throughline --version'), '0.1.1\n');
    const started = await debian.must('journalctl --unit throughline --grep "is listening" --output cat');
    assert.equal(started.trim().split('\n').length, 5);
    assert.match(await debian.must('cat /etc/throughline/env'), /^PUBLIC_URL=/m);
  });

  it('does not start again after a start that only a person can mend, whoever calls', async () => {
    await debian.must('echo TRUST_PROXY=nonsense >> /etc/throughline/env');
    await debian.must('systemctl restart throughline');
    await waitFor('the start to fail', async () => {
      // Callers would start it again through the socket.
      await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(200) }).catch(() => undefined);
      return (await states()) === 'failed inactive' || undefined;
    });
    await sleep(BETWEEN_MS);
    await fetch(`${url}/healthz`).then(
      () => assert.fail('it runs'),
      ({ cause }: { cause: NodeJS.ErrnoException }) => assert.equal(cause.code, 'ECONNREFUSED'),
    );
    assert.equal(await states(), 'failed inactive');
    const refusals = await debian.must('journalctl --unit throughline --grep nonsense --output cat');
    assert.match(refusals, /^TRUST_PROXY must be [^\n]*\n$/);
    await debian.must("sed -i '/nonsense/d' /etc/throughline/env && systemctl start throughline");
    assert.equal((await fetch(`${url}/healthz`)).status, 200);
    assert.equal(await states(), 'active active');
  });

  it('says which settings it cannot read', async () => {
    await debian.must('chown root:root /etc/throughline/env');
    const { code, stderr } = await debian.run('throughline apps list');
    assert.equal(code, 1);
    assert.match(stderr, /Failed to read \/etc\/throughline\/env: .*permission denied.*\n$/);
    await debian.must('chown root:throughline /etc/throughline/env');
  });

  it('leaves the data when it is removed, and when it is purged', async () => {
    await debian.must('apt-get remove --yes throughline');
    assert.equal(await states(), 'inactive inactive');
    await debian.must(`test -f ${DATA}/throughline.db -a -f /etc/throughline/env`);
    await debian.must('apt-get install --yes /root/throughline_0.1.1_amd64.deb');
    await isReady();
    assert.equal((await fetch(`${url}/v1/links`, { headers: { 'x-api-key': key } })).status, 200);
    const purged = await debian.must('apt-get purge --yes throughline');
    assert.match(purged, /data of Throughline stays in \/var\/lib\/throughline\. To delete it: rm -r/);
    await debian.must(`test -f ${DATA}/throughline.db -a ! -e /etc/throughline -a ! -e /usr/lib/throughline`);
  });

  /** Runs the block of a page as it is written. */
  async function paste(block: Block | undefined): Promise<string> {
    const file = join(folder, 'block');
    writeFileSync(file, block?.text ?? '');
    debian.give(file);
    return await debian.must('cd /root && PATH=/usr/local/bin:$PATH bash -euo pipefail block');
  }

  async function isReady(): Promise<void> {
    await waitFor('the service to be ready', async () => {
      const answer = await fetch(`${url}/readyz`).catch(() => null);
      return answer?.ok || undefined;
    });
  }

  /** On a connection of its own. */
  async function call(request: Buffer) {
    const connection = await RawConnection.open(url);
    connection.send(request);
    const answer = await connection.answer();
    connection.destroy();
    return answer;
  }

  async function states(): Promise<string> {
    const { stdout } = await debian.run('systemctl is-active throughline.service throughline.socket');
    return stdout.trim().split('\n').join(' ');
  }
});

/** With `sudo`, a proxy, somebody who says yes, and a `curl` for the files of the release and for the service behind its host. */
function machineOfReader(port: number): string {
  return `cat > /usr/local/bin/sudo <<'END'
#!/bin/sh
exec "$@"
END
cat > /usr/local/bin/curl <<'END'
#!/bin/bash
address=\${!#}
case $address in
  https://github.com/*) eval "ls \${address##*/}" ;;
  *) /usr/lib/throughline/bin/node --eval "fetch('http://127.0.0.1:${port}/\${address##*/}').then(({ ok }) => process.exit(ok ? 0 : 22))" ;;
esac
END
chmod +x /usr/local/bin/sudo /usr/local/bin/curl
echo 'APT::Get::Assume-Yes "true";' > /etc/apt/apt.conf.d/yes
printf '[Service]\\nType=oneshot\\nRemainAfterExit=yes\\nExecStart=/bin/true\\nExecReload=/bin/true\\n' > /etc/systemd/system/caddy.service
systemctl start caddy`;
}

/** Of the bundle, which names its version in `package.json`. */
function packageOf(version: string, to: string): void {
  const bundle = join(ROOT, 'build/throughline');
  if (!existsSync(bundle)) execFileSync('npm', ['run', 'bundle'], { cwd: ROOT, stdio: 'ignore' });
  const file = join(bundle, 'package.json');
  const text = readFileSync(file, 'utf8');
  const own = (JSON.parse(text) as { version: string }).version;
  writeFileSync(file, text.replace(`"version": "${own}"`, `"version": "${version}"`));
  try {
    execFileSync('npm', ['run', 'package:debian', '--', '--quick', 'amd64'], { cwd: ROOT, stdio: 'pipe' });
  } finally {
    writeFileSync(file, text);
  }
  for (const ending of ['', '.sha256'])
    copyFileSync(join(ROOT, `build/throughline_${version}_amd64.deb${ending}`), to + ending);
}
