import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Life } from './life.ts';
import { invitePeople } from './people.ts';
import { tellStories } from './report.ts';

describe('the report of a simulation', () => {
  it('says how many stories it leaves out', () => {
    const [person] = invitePeople(1, null);
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
    const life: Life = { person, landedAt: null, taps: 1, install, open: null, events: 0, identified: false };
    const leftOut = (count: number) => /^\d+ more .*/m.exec(tellStories(Array(count).fill(life)))?.[0];
    assert.equal(leftOut(1), undefined);
    assert.equal(leftOut(2), '1 more story is left out; --json has them all.');
    assert.equal(leftOut(4), '3 more stories are left out; --json has them all.');
  });
});
