import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import * as tls from 'node:tls';
import { certify } from '../../../test/helpers/certify.ts';
import type { AppRow } from '../../apps/index.ts';
import { DAY_MS, isoTime } from '../../lib/clock.ts';
import { ANDROID, APPLE, checkCdn, checkCertificate, checkFile, checkName } from './hosts.ts';

const APP = { ios_team_id: 'A1B2C3D4E5', ios_bundle_id: 'com.example.shop', android_package: 'com.example' };
const NAMED = JSON.stringify({ ios: 'A1B2C3D4E5.com.example.shop', android: 'com.example' });
const JSON_TYPE = { 'content-type': 'application/json' };

describe('the association files of a host', () => {
  const cases: [string, RequestListener, 'ok' | 'fault', RegExp][] = [
    [
      'as phones need them',
      (_, response) => response.writeHead(200, JSON_TYPE).end(NAMED),
      'ok',
      /as phones need it/,
    ],
    [
      'that redirect',
      (_, response) => response.writeHead(301, { location: '/other' }).end(),
      'fault',
      /redirects \(301\)/,
    ],
    ['that are missing', (_, response) => response.writeHead(404).end(), 'fault', /answers with 404/],
    [
      'of another type',
      (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(NAMED),
      'fault',
      /type “text\/html”/,
    ],
    [
      'without the app',
      (_, response) => response.writeHead(200, JSON_TYPE).end('{}'),
      'fault',
      /does not name .*com\.example/,
    ],
    [
      'that are too large',
      (_, response) => response.writeHead(200, JSON_TYPE).end(NAMED + ' '.repeat(140_000)),
      'fault',
      /128 KB/,
    ],
  ];
  for (const [name, respond, status, says] of cases)
    it(`${name} are said to be so`, async () => {
      const server = createServer(respond).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const base = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
      for (const file of [APPLE, ANDROID]) {
        const finding = await checkFile({ base, apps: [APP as AppRow] }, file);
        assert.equal(finding.status, status);
        assert.match(finding.text, says);
        assert.equal(finding.mend === null, status === 'ok');
      }
      server.close();
      server.closeAllConnections();
    });

  it('of a host that sends without an end are read to 128 KB', async () => {
    const piece = ' '.repeat(65_536);
    const server = createServer((_, response) => {
      const write = () => void (response.write(piece) && setImmediate(write));
      response.writeHead(200, JSON_TYPE).on('drain', write);
      write();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const base = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const finding = await checkFile({ base, apps: [APP as AppRow] }, APPLE);
    assert.deepEqual([finding.status, /128 KB/.test(finding.text)], ['fault', true], finding.text);
    server.close();
    server.closeAllConnections();
  });

  it('of a host that does not answer are unknown, not a fault', async () => {
    const finding = await checkFile({ base: new URL('http://127.0.0.1:9'), apps: [] }, APPLE);
    assert.deepEqual([finding.status, finding.mend], ['unknown', null]);
  });

  it('of Apple’s cache are read where APPLE_ASSOCIATION_URL says', async () => {
    const server = createServer(({ url }, response) => response.end(url === '/a/v1/go.example' ? NAMED : ''));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const appleUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a/v1`;
    const statusOf = async (name: string) => {
      const base = new URL(`https://${name}`);
      return [await checkCdn({ base, apps: [APP as AppRow] }, appleUrl)].flat()[0]?.status;
    };
    assert.deepEqual([await statusOf('go.example'), await statusOf('other.example')], ['ok', 'warning']);
    server.close();
    server.closeAllConnections();
  });

  it('a name that leads somewhere is in order', async () => {
    assert.equal((await checkName('localhost')).status, 'ok');
  });
});

describe('the certificate of a host', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' });
  const dayIn = (days: number) =>
    isoTime(Date.now() + days * DAY_MS)
      .slice(0, 10)
      .replaceAll('-', '');

  for (const [name, { from, until, isTrusted = true }, status] of [
    ['of 90 days that ends in 60 is in order', { from: -30, until: 60 }, 'ok'],
    ['of 90 days that ends in 10 is to be renewed', { from: -80, until: 10 }, 'warning'],
    ['of 6 days is in order on its first day', { from: 0, until: 6 }, 'ok'],
    ['that is over is refused by phones', { from: -90, until: -1 }, 'fault'],
    ['of an unknown authority is refused by phones', { from: -30, until: 60, isTrusted: false }, 'fault'],
  ] as const satisfies [string, { from: number; until: number; isTrusted?: boolean }, string][])
    it(name, async () => {
      const cert = certify(privateKey, publicKey, 'localhost', dayIn(from), dayIn(until));
      tls.setDefaultCACertificates(isTrusted ? [cert] : []);
      const server = tls.createServer({ key, cert });
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const { port } = server.address() as AddressInfo;
      const finding = await checkCertificate(new URL(`https://localhost:${port}`));
      server.close();
      assert.deepEqual([finding.status, finding.mend === null], [status, status === 'ok'], finding.text);
    });

  it('of a host that does not answer is unknown', async () => {
    assert.equal((await checkCertificate(new URL('https://localhost:9'))).status, 'unknown');
  });
});
