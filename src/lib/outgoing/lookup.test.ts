import assert from 'node:assert/strict';
import { createSocket, type Socket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { after, describe, it } from 'node:test';
import { resolveWithDns } from './lookup.ts';

const A = 1;
const AAAA = 28;
/** Response codes. */
const SERVER_FAILURE = 2;
const NO_SUCH_NAME = 3;

const servers: Socket[] = [];
after(() => {
  for (const server of servers) server.close();
});

describe('DNS lookup', () => {
  it('returns all IPv4 and IPv6 addresses', async () => {
    const records = { [A]: ['01020304', '0a000001'], [AAAA]: ['fd000ec2000000000000000000000254'] };
    assert.deepEqual(await ask(records), ['1.2.3.4', '10.0.0.1', 'fd00:ec2::254']);
  });

  it('returns one family if the other has no addresses or fails', async () => {
    assert.deepEqual(await ask({ [A]: ['01020304'], [AAAA]: [] }), ['1.2.3.4']);
    assert.deepEqual(await ask({ [A]: ['01020304'], [AAAA]: SERVER_FAILURE }), ['1.2.3.4']);
    assert.deepEqual(await ask({ [A]: 'silence', [AAAA]: ['20010db8000000000000000000000001'] }), [
      '2001:db8::1',
    ]);
  });

  it('returns no addresses for an unknown name', async () => {
    assert.deepEqual(await ask({ [A]: NO_SUCH_NAME, [AAAA]: NO_SUCH_NAME }), []);
    assert.deepEqual(await ask({ [A]: 'silence', [AAAA]: 'silence' }), []);
  });
});

/** Addresses in hexadecimal, a response code, or no answer. */
type Records = Readonly<Record<number, readonly string[] | number | 'silence'>>;

async function ask(records: Records): Promise<string[]> {
  const server = createSocket('udp4', (query, { port }) => {
    const answer = answerTo(query, records);
    if (answer !== null) server.send(answer, port, '127.0.0.1');
  });
  servers.push(server);
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  const resolver = new Resolver({ timeout: 200, tries: 1 });
  resolver.setServers([`127.0.0.1:${server.address().port}`]);
  return await resolveWithDns('hook.example.com', resolver);
}

/** Header, the question as it came (12 bytes in, up to its type and class), and a record for each address. */
function answerTo(query: Buffer, records: Records): Buffer | null {
  const question = query.subarray(12, query.indexOf(0, 12) + 5);
  const type = question.readUInt16BE(question.length - 4);
  const found = records[type] ?? [];
  if (found === 'silence') return null;
  const [code, addresses] = typeof found === 'number' ? [found, []] : [0, found];
  const header = Buffer.from([0, 0, 0x81, 0x80 | code, 0, 1, 0, addresses.length, 0, 0, 0, 0]);
  query.copy(header, 0, 0, 2);
  const answers = addresses.map((address) => {
    const data = Buffer.from(address, 'hex');
    // The name of the question, type, class IN, 60 s, length.
    return Buffer.concat([Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length]), data]);
  });
  return Buffer.concat([header, question, ...answers]);
}
