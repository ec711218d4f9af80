import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { certify } from '../../../test/helpers/certify.ts';
import { serviceAt } from './check-start.ts';
import { askNew } from './new-answer.ts';
import { visitorOf } from './visitors.ts';

const HOST = 'go.example.com';
const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const cert = certify(keys.privateKey, keys.publicKey, HOST, '20200101', '20490101');
setDefaultCACertificates([...getCACertificates('default'), cert]);

describe('the new answer through a proxy', () => {
  const requests: string[] = [];
  let busy = 0;
  const key = keys.privateKey.export({ type: 'pkcs8', format: 'pem' });
  const proxy = createServer({ key, cert }, ({ method, url, headers }, response) => {
    requests.push(`${method} ${headers.host} ${url}`);
    busy -= 1;
    if (busy >= 0) response.writeHead(503, { 'retry-after': '1' }).end();
    else response.writeHead(302, { location: 'https://shop.example/' }).end();
  });
  let url = '';
  before(async () => {
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    url = `https://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  });
  after(() => proxy.close().closeAllConnections());
  const ask = (host: string) =>
    askNew(serviceAt(url, host), 'summer/sale?a=1', visitorOf('iphone', 'en'), new AbortController().signal);

  it('is asked for the host, with the certificate checked for it, before the name leads there', async () => {
    assert.deepEqual((await ask(HOST)).answer, { kind: 'leads', to: 'https://shop.example/' });
    assert.deepEqual(requests, [`HEAD ${HOST} /summer/sale?a=1`]);
    await assert.rejects(ask('other.example.com'), {
      name: 'StartError',
      message:
        /^The service at https:\/\/127\.0\.0\.1:\d+ did not respond: .*certificate.*other\.example\.com/,
    });
  });

  it('is awaited while the service asks to wait', async () => {
    busy = 1;
    assert.equal((await ask(HOST)).answer.kind, 'leads');
  });
});
