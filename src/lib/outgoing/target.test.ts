import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isPublic, NOT_PUBLIC, parseNetworks, refusalOf } from './target.ts';

const NONE = parseNetworks([]);

/** Spellings of hosts that are not public. */
const PRIVATE_HOSTS: Readonly<Record<string, readonly string[]>> = {
  loopback: [
    '127.0.0.1',
    '127.0.0.2',
    '127.255.255.254',
    '127.0.0.1.',
    '127.0.0.1:8080',
    '[::1]',
    '[::1]:80',
  ],
  'loopback in other forms': [
    '127.1',
    '127.0.1',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
    '017700000001',
    '0x7f.0x0.0x0.0x1',
    '１２７.0.0.1',
    '127。0。0。1',
    '①②⑦.0.0.1',
    '%31%32%37.0.0.1',
  ],
  localhost: [
    'localhost',
    'LOCALHOST',
    'localhost.',
    'localhost..',
    'app.localhost',
    'app.localhost.',
    'ⓛocalhost',
    'localhost:8080',
  ],
  unspecified: ['0', '0.0.0.0', '0.1.2.3', '[::]'],
  private: ['10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1', '192.168.1.1.'],
  'link-local and metadata': [
    '169.254.169.254',
    '0xa9fea9fe',
    '169.254.170.2',
    '[fe80::1]',
    '[febf::1]',
    '[fe80::a9fe:a9fe]',
    '[fd00:ec2::254]',
    '[fd20:ce::254]',
    '168.63.129.16',
    '100.100.100.200',
    '192.0.0.192',
  ],
  'reserved IPv4': [
    '100.64.0.1',
    '192.0.0.1',
    '192.0.2.1',
    '192.31.196.1',
    '192.52.193.1',
    '192.88.99.1',
    '192.175.48.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
  ],
  'IPv4 within IPv6': [
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:ffff:a00:1]',
    '[::ffff:168.63.129.16]',
    '[::127.0.0.1]',
    '[::a00:1]',
    '[::ffff:0:127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b::8.8.8.8]',
    '[64:ff9b:1::a00:1]',
    '[64:ff9b:1:fffe::1]',
    '[2002:7f00:1::]',
    '[2002:a00:1::1]',
    '[2001:0:4136:e378:8000:63bf:3fff:fdd2]',
  ],
  'reserved IPv6': [
    '[::2]',
    '[1::1]',
    '[100::1]',
    '[100:0:0:1::1]',
    '[2001:1::1]',
    '[2001:2::1]',
    '[2001:3::1]',
    '[2001:10::1]',
    '[2001:20::1]',
    '[2001:db8::1]',
    '[2620:4f:8000::1]',
    '[3fff::1]',
    '[3fff:fff::1]',
    '[4000::1]',
    '[5f00::1]',
    '[fc00::1]',
    '[fdff::1]',
    '[fec0::1]',
    '[ff02::1]',
    '[ffff::1]',
  ],
};

describe('targets', () => {
  for (const [kind, hosts] of Object.entries(PRIVATE_HOSTS))
    it(`${kind} is refused in all spellings`, () => {
      for (const scheme of ['http', 'https'])
        for (const host of hosts) assert.equal(refusalOf(`${scheme}://${host}/x`, NONE), NOT_PUBLIC, host);
    });

  it('public addresses and names are allowed', () => {
    for (const url of [
      'https://hook.example.com/a?b=c#d',
      'http://hook.example.com:8080',
      'https://hook.example.com./',
      'https://localhost.example.com/',
      'https://notlocalhost/',
      'https://8.8.8.8/',
      'https://172.15.0.1/',
      'https://172.32.0.1/',
      'https://[2606:4700:4700::1111]/',
      'https://[::ffff:8.8.8.8]/',
    ])
      assert.equal(refusalOf(url, NONE), null, url);
  });

  it('only http and https are allowed', () => {
    for (const url of [
      '',
      'hook.example.com',
      '/x',
      'http://',
      'http://a b/',
      'http://[fe80::1%25eth0]/',
      'ftp://example.com/',
      'file:///etc/passwd',
      'gopher://example.com/',
      'unix:/run/docker.sock',
      'ws://example.com/',
      'javascript:alert(1)',
    ])
      assert.equal(refusalOf(url, NONE), 'must be an http or https address', url);
  });

  it('credentials and a missing host are refused', () => {
    for (const url of ['https://user@example.com/', 'https://:secret@example.com/', 'https://a:b@127.0.0.1/'])
      assert.equal(refusalOf(url, NONE), 'must not hold a user name or password', url);
    for (const url of ['http://./', 'http://../', 'http://.:80/'])
      assert.equal(refusalOf(url, NONE), 'must name a host', url);
  });

  it('an allowed network does not open others', () => {
    const allowed = parseNetworks(['127.0.0.0/8', 'fd12::/16', '168.63.129.16/32']);
    for (const host of [
      '127.1',
      '[::ffff:127.0.0.1]',
      '[fd12::1]',
      '168.63.129.16',
      'localhost',
      'a.localhost.',
    ])
      assert.equal(refusalOf(`http://${host}/`, allowed), null, host);
    for (const host of [
      '10.0.0.1',
      '[::1]',
      '[fd13::1]',
      '169.254.169.254',
      '[64:ff9b::7f00:1]',
      '[::7f00:1]',
    ])
      assert.equal(refusalOf(`http://${host}/`, allowed), NOT_PUBLIC, host);
    assert.equal(refusalOf('http://localhost/', parseNetworks(['10.0.0.0/8'])), NOT_PUBLIC);
  });

  it('an incomplete IP address is not public', () => {
    for (const text of ['', 'example.com', '8.8', '134744072', '08.8.8.8', '8.8.8.8:80', '[2606:4700::1]'])
      assert.equal(isPublic(text, NONE), false, text);
    assert.equal(isPublic('fe80::1%eth0', NONE), false);
  });
});

describe('networks', () => {
  it('IPv4-mapped networks are IPv4 networks', () => {
    assert.equal(isPublic('10.1.2.3', parseNetworks(['::ffff:10.0.0.0/104'])), true);
    assert.equal(isPublic('172.16.0.1', parseNetworks(['::ffff:10.0.0.0/104'])), false);
  });

  it('a single address is a network', () => {
    const allowed = parseNetworks(['127.0.0.1', '::1']);
    for (const [address, isAllowed] of [
      ['127.0.0.1', true],
      ['127.0.0.2', false],
      ['::1', true],
      ['fd00::1', false],
    ] as const)
      assert.equal(isPublic(address, allowed), isAllowed, address);
  });

  it('the error names an invalid network', () => {
    for (const text of [
      '',
      '10/8',
      '127.1/8',
      '010.0.0.0/8',
      '10.0.0.0/33',
      '10.0.0.0/-1',
      '10.0.0.0/',
      '10.0.0.0/8/8',
      ' 10.0.0.0/8',
      '::1/129',
      'fe80::1%eth0/64',
      'localhost/8',
      'any',
    ])
      assert.throws(() => parseNetworks(['10.0.0.0/8', text]), {
        message: new RegExp(`^Invalid network “${text}”`),
      });
  });
});
