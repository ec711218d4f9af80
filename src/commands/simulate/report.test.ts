import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Journey } from './journey.ts';
import { createPeople } from './people.ts';
import { describeJourneys } from './report.ts';

describe('the report of a simulation', () => {
  it('counts the journeys that it omits', () => {
    const [person] = createPeople(1, null);
    assert.ok(person);
    const install = {
      method: 'ORGANIC',
      installId: 'i',
      clickId: null,
      campaignId: null,
      confidence: null,
      deepLinkPayload: null,
      verdict: 'missed',
      secondsAfterTap: 1,
    } as const;
    const journey: Journey = {
      person,
      landedAt: null,
      taps: 1,
      install,
      open: null,
      events: 0,
      identified: false,
    };
    const omitted = (count: number) =>
      /^\d+ more .*/m.exec(describeJourneys(Array(count).fill(journey)))?.[0];
    assert.equal(omitted(1), undefined);
    assert.equal(omitted(2), '1 more journey omitted; --json lists all.');
    assert.equal(omitted(4), '3 more journeys omitted; --json lists all.');
  });
});
