import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PRESETS } from './presets.ts';
import { buildRun } from './traffic.ts';

const { smallApp } = PRESETS;
const DAY_MS = 86_400_000;

describe('the synthetic traffic', () => {
  assert.ok(smallApp);
  const day = { ...smallApp, people: 200, hours: 24 };

  it('is the same for the same settings and seed', () => {
    assert.deepEqual(buildRun(day, 1), buildRun(day, 1));
    assert.notDeepEqual(buildRun(day, 1).touches, buildRun(day, 2).touches);
  });

  it('begins at the given time, and installs follow for a day and a half', () => {
    const startMs = Date.parse('2026-08-26T00:00:00Z');
    const { touches, authors } = buildRun(day, 1, startMs);
    const daysAfterStart = touches.map(({ at }) => (Date.parse(at) - startMs) / DAY_MS);
    assert.ok(daysAfterStart.every((days) => days >= 0 && days < 2.5));
    assert.ok(touches.length > day.people / 2);
    assert.ok(touches.every(({ id }) => authors.has(id)));
  });
});
