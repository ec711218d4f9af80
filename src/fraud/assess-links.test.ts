import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assessLinks, type LinkEvidence, ordinaryShareOf } from './assess-links.ts';

const link = (fields: Partial<LinkEvidence>): LinkEvidence => ({
  shortCode: 'code',
  campaignId: null,
  clicks: 0,
  toolClicks: 0,
  installs: 0,
  networks: { clicks: 0, distinct: 0, largest: 0 },
  ...fields,
});
const codesOf = (fields: Partial<LinkEvidence>, ordinary: number | null = 0.2) =>
  assessLinks([link(fields)], ordinary)[0]?.findings.map(({ code }) => code);

describe('the ordinary share of installs', () => {
  const honest = [0.1, 0.2, 0.3].map((share) => link({ clicks: 100, installs: 100 * share }));

  it('is the median, which one flooded link does not change', () => {
    assert.equal(ordinaryShareOf(honest), 0.2);
    assert.equal(ordinaryShareOf([...honest, link({ clicks: 1_000_000 })]), 0.2);
  });

  it('is null with fewer than three links of 30 clicks, or if most links have no install', () => {
    assert.equal(ordinaryShareOf(honest.slice(1)), null);
    assert.equal(ordinaryShareOf([...honest.slice(1), link({ clicks: 29, installs: 5 })]), null);
    assert.equal(ordinaryShareOf([...honest.slice(1), ...Array(3).fill(link({ clicks: 100 }))]), null);
  });
});

describe('findings', () => {
  it('report far fewer or far more installs than the clicks suggest', () => {
    assert.deepEqual(codesOf({ clicks: 2_000, installs: 20 }), ['few_installs']);
    assert.deepEqual(codesOf({ toolClicks: 2_000, installs: 20 }), ['few_installs']);
    assert.deepEqual(codesOf({ clicks: 200, installs: 160 }), ['many_installs']);
    assert.deepEqual(codesOf({ clicks: 20, installs: 50 }), ['many_installs']);
  });

  it('ignore a few clicks without installs, or with one each', () => {
    for (const fields of [{ clicks: 3 }, { clicks: 50 }, { clicks: 2, installs: 2 }, { installs: 5 }])
      assert.deepEqual(codesOf(fields), [], JSON.stringify(fields));
    assert.deepEqual(codesOf({ clicks: 2_000, installs: 300 }), [], 'a share of 0.15 is near 0.2');
    assert.deepEqual(codesOf({ clicks: 2_000 }, null), [], 'nothing to compare with');
  });

  it('report many clicks from one network, but not a few of a tester or many from many networks', () => {
    const fromOne = (largest: number, clicks: number) =>
      codesOf({ clicks, networks: { clicks, distinct: clicks - largest + 1, largest } }, null);
    assert.deepEqual(fromOne(60, 100), ['one_network']);
    assert.deepEqual(fromOne(20, 20), []);
    assert.deepEqual(fromOne(100, 10_000), []);
  });

  it('order links by suspicion, and ordinary ones by clicks', () => {
    const links = [
      link({ shortCode: 'small', clicks: 10, installs: 2 }),
      link({ shortCode: 'large', clicks: 1_000, installs: 200 }),
      link({ shortCode: 'flooded', clicks: 500, installs: 5 }),
      link({ shortCode: 'flooded more', clicks: 50_000, installs: 5 }),
    ];
    assert.deepEqual(
      assessLinks(links, 0.2).map(({ shortCode }) => shortCode),
      ['flooded more', 'flooded', 'large', 'small'],
    );
  });
});
