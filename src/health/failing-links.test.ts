import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CODES, severityOf } from '../diagnosis/run-checks.ts';
import { type CheckedApp, FAILING, failingLinks } from './failing-links.ts';

type Links = CheckedApp['links'];
const finding = (code: (typeof CODES)[number], message: string = code) => ({
  ...{ code, message, mend: 'Do this.' },
  severity: severityOf(code),
});
const LOCAL = [finding('host.not_public')];
const appOf = (name: string, links: Links): CheckedApp => ({ id: name, name, links });

describe('links that fail', () => {
  it('for every error of the diagnosis but the end of a link, which its app has set', () => {
    const errors = CODES.filter((code) => severityOf(code) === 'error' && code !== 'expiry.past');
    assert.deepEqual(
      errors.filter((code) => !FAILING.some((each) => each === code)),
      [],
    );
    for (const code of FAILING) assert.equal(failingLinks([appOf('a', [[finding(code)]])]).length, 1, code);
  });

  const none: readonly [string, Links][] = [
    ['an app without links', []],
    ['links without findings', [[], []]],
    ['one link of two', [LOCAL, []]],
    ['an expired link', [[finding('expiry.past')]]],
    ['what only improves a link', [[finding('card.missing'), finding('association.host_shared')]]],
    ['warnings that not all links have', [[finding('association.ios_missing')], []]],
  ];
  for (const [name, links] of none)
    it(`not for ${name}`, () => assert.deepEqual(failingLinks([appOf('a', links)]), []));

  it('what all links of an app have in common, the host first', () => {
    const both = [finding('association.ios_missing'), finding('host.not_https')];
    const found = failingLinks([appOf('a', [both, [...both, finding('destination.loop')]])]);
    assert.deepEqual(
      found.map(({ code }) => code),
      ['host.not_https', 'association.ios_missing'],
    );
  });

  it('of a host that fails the gravest alone', () => {
    const host = [finding('host.has_port'), finding('host.not_https'), finding('host.not_public')];
    assert.deepEqual(
      failingLinks([appOf('a', [[...host, finding('destination.loop')]])]).map(({ code }) => code),
      ['host.not_public', 'destination.loop'],
    );
  });

  it('never nothing while each link fails for a reason of its own: the most frequent', () => {
    const found = failingLinks([
      appOf('a', [
        [finding('destination.loop')],
        [finding('destination.unknown_link', 'first')],
        [finding('destination.unknown_link', 'second')],
      ]),
    ]);
    assert.deepEqual(
      found.map(({ code, message }) => [code, message]),
      [['destination.unknown_link', 'first']],
    );
  });

  it('the same cause of several apps once, with their names', () => {
    const found = failingLinks([appOf('a', [LOCAL]), appOf('b', [LOCAL]), appOf('c', [[]])]);
    assert.deepEqual(
      found.map(({ code, apps }) => [code, apps.map(({ name }) => name)]),
      [['host.not_public', ['a', 'b']]],
    );
  });
});
