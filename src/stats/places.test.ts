import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAX_VALUES } from './dimensions.ts';
import { Candidates, preferred } from './places.ts';

const named = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${name} ${index}`);
const seen = (values: readonly string[], firstDay: string, records: number) =>
  values.map((value) => ({ value, firstDay, records }));
const times = (values: readonly string[], records: number) =>
  values.map((value) => [value, records] as const);

describe('the values of a day that have places', () => {
  const team = named('of the team', 180);
  const fakes = named('made up', 10_000);

  for (const [title, fakesOfEarlierDays] of [
    ['seen on earlier days', []],
    [
      'seen before the day on which others were first made up',
      seen(fakes.slice(0, 5_000), '2026-11-24', 900),
    ],
  ] as const)
    it(`are those ${title}, though each made-up one has more records`, () => {
      const ofTeam = title === 'seen on earlier days' ? team : team.slice(0, 90);
      const records = new Map([...times(fakes, 50), ...times(ofTeam, 1)]);
      const known = [...seen(ofTeam, '2026-11-23', 1), ...fakesOfEarlierDays];
      const kept = preferred({ records, known, before: new Set(fakes.slice(0, 200)) });
      assert.equal(kept.size, MAX_VALUES);
      assert.deepEqual(
        ofTeam.filter((value) => !kept.has(value)),
        [],
      );
    });

  it('are those with most records, though all others are known', () => {
    const launch = named('launch', 20);
    const records = new Map([...times(fakes, 50), ...times(launch, 51)]);
    const kept = preferred({ records, known: seen(fakes, '2026-11-01', 99), before: new Set() });
    assert.deepEqual(
      launch.filter((value) => !kept.has(value)),
      [],
    );
  });

  it('are those with most records of earlier days, among more known ones than places', () => {
    const large = named('large', 90);
    const records = new Map([...times(fakes, 5), ...times(large, 1)]);
    const known = [...seen(fakes, '2026-11-01', 3), ...seen(large, '2026-11-20', 100)];
    const kept = preferred({ records, known, before: new Set() });
    assert.deepEqual(
      large.filter((value) => !kept.has(value)),
      [],
    );
  });

  it('stay the same beside others with as many records', () => {
    const before = new Set(fakes.slice(500, 700));
    assert.deepEqual(preferred({ records: new Map(times(fakes, 1)), known: [], before }), before);
  });
});

describe('values without a place', () => {
  it('of an app stay counted beside any number of another', () => {
    const candidates = new Candidates();
    candidates.of('small').set('new source', 7);
    for (let number = 0; number < 50_000; number++) candidates.of('large').set(`made up ${number}`, 1);
    assert.equal(candidates.of('small').get('new source'), 7);
    assert.ok(candidates.of('large').size < 10_000);
    for (let number = 0; number < 100; number++) candidates.of(`app ${number}`);
    assert.equal(candidates.of('large').size, 0);
  });
});
