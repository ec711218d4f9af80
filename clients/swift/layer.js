/** Runs the layer for iOS on the stub modules, against the service of this repository. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Network } from '../../packages/conformance/src/network.ts';
import { startService } from '../../packages/conformance/src/service.ts';
import { makeApp, Tenant } from '../../packages/conformance/src/tenant.ts';

const WITHIN_MS = 15_000;
const SCHEMA = {
  windows: [{ fine: [{ from: 5, to: 9, eventName: 'level_up' }], coarse: { high: 'level_up' } }, ...[{}, {}]],
};

/** @param command starts the phone. */
export async function runLayer(command) {
  const service = await startService();
  const network = await Network.start(service.url, {});
  const home = mkdtempSync(join(tmpdir(), 'throughline-layer-'));
  const phones = [];
  try {
    const app = { name: 'Layer', clipboardToken: true, landingPage: 'always', fingerprintIos: false };
    const keys = await makeApp(service, app);
    const tenant = new Tenant(service, keys, {});
    await tenant.manage('PUT', '/v1/skan/conversion-values', SCHEMA);
    for (const play of [firstStart, laterStart]) {
      const phone = startPhone([...command, network.url, keys.sdkKey], home);
      phones.push(phone);
      await play(phone, tenant, network);
      await phone.end();
    }
    const files = readdirSync(home, { recursive: true });
    assert.ok(
      files.some((name) => name.includes('dev.throughline/')),
      'the state is in Application Support',
    );
  } finally {
    for (const phone of phones) await phone.end();
    network.close();
    await service.end();
    rmSync(home, { recursive: true, force: true });
  }
}

async function firstStart(phone, tenant, network) {
  const link = await tenant.createLink({ deepLinkPath: '/shoes/red' });
  phone.tell('connect');
  const { body } = await eventually('an install', () => answered(network, '/v1/sdk/install'));
  const { locale, timezone, deviceModel, ...rest } = body.fingerprint;
  assert.ok(locale && timezone && deviceModel, 'language, time zone and model of this machine');
  assert.deepEqual(rest, {
    ...{ platform: 'IOS', osVersion: '18.5', sdkVersion: 'throughline-ios/0.1.0' },
    ...{ screenWidth: 1125, screenHeight: 2436, screenDensity: 3 },
  });
  assert.equal(body.appleAdsToken, 'stub-token');

  await phone.says('SKAdNetwork 0 low false');
  await phone.says('AdAttributionKit 0 low false install');
  phone.tell('track level_up');
  await phone.says('SKAdNetwork 5 high false');
  await phone.says('AdAttributionKit 5 high false install');

  // The phone reports it by the scene delegate and the app delegate.
  phone.tell(`continue ${link.url}`);
  await phone.says('link /shoes/red DIRECT');
  await eventually('an open', async () => (await tenant.list('opens', [])).length === 1);

  const copied = (await tenant.tap(link, 'IOS')).clipboard;
  phone.tell(`paste ${copied}`);
  await phone.says('pasted /shoes/red');
  phone.tell('clipboard no address');
  await phone.says('claimed nil');
  assert.ok(!phone.said('clipboard read'), 'a clipboard without an address is not read');

  phone.tell('track left');
  phone.tell('background');
  await phone.says('background time ends');
  assert.ok(sent(network, 'left'), 'what waits is sent within the background time');
}

async function laterStart(phone, tenant, network) {
  const link = await tenant.createLink({ deepLinkPath: '/bags' });
  phone.tell(`connect ${link.url}`);
  await phone.says('link /bags DIRECT');
  network.setNetwork('offline');
  phone.tell('network lost');
  phone.tell('track returned');
  const lost = () => network.log.filter(({ path, status }) => path === '/v1/sdk/events' && status === null);
  await eventually('three attempts', () => lost().length >= 3);
  network.setNetwork('online');
  phone.tell('network back');
  // The next attempt would be two seconds away at least.
  await eventually('the event', () => sent(network, 'returned'), 1_800);
  assert.equal((await tenant.list('installs', [])).length, 1, 'a later start is no install');
  assert.equal((await tenant.list('opens', [])).length, 3, 'each tap is one open');
}

function answered(network, path) {
  return network.log.find((request) => request.path === path && request.status === 200);
}

function sent(network, eventName) {
  const isSent = ({ status, body }) =>
    status === 200 && body?.events?.some((event) => event.eventName === eventName);
  return network.log.some(isSent);
}

async function eventually(what, read, withinMs = WITHIN_MS) {
  for (const until = performance.now() + withinMs; performance.now() < until; await sleep(150)) {
    const value = await read();
    if (value) return value;
  }
  throw new Error(`The test of the layer waited in vain for ${what}`);
}

function startPhone([command, ...args], home) {
  const child = spawn(command, args, {
    env: { ...process.env, HOME: home },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const lines = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  const said = (line) => lines.includes(line);
  return {
    said,
    end: async () => {
      child.kill('SIGKILL');
      await ended;
    },
    tell: (line) => child.stdin.write(`${line}\n`),
    says: (line) =>
      eventually(`“${line}”`, () => said(line)).catch((error) => {
        throw new Error(`${error.message}; the phone said\n${lines.join('\n')}`);
      }),
  };
}
