import assert from 'node:assert/strict';
import { it } from 'node:test';
import { googleClickIdsIn } from './google.ts';

const GCLID = 'Cj0KCQjw0LDBBhCnARIsAMpYlAoD_u36hVrC7aMKQc_topo48uZyPB4kkUW45Y6bPN6ITzrHqmjHlZEaAt_nEALw_wcB';
const GBRAID = '0AAAAA9yheJDxTz6Svxd2Qtd3-13ivOh_i';

const CASES: [string, ReturnType<typeof googleClickIdsIn>][] = [
  ['', null],
  ['utm_source=google-play&utm_medium=organic', null],
  ['utm_source=google&utm_medium=cpc', null],
  ['gclid=&gbraid=', null],
  ['xgclid=1&my_gbraid=2', null],
  [`gclid=${GCLID}`, { gclid: GCLID, gbraid: null }],
  [`gad_source=1&gbraid=${GBRAID}&gclid=${GCLID}`, { gclid: GCLID, gbraid: GBRAID }],
  [`utm_source%3Dgoogle%26gclid%3D${GCLID}%26x%3D1`, { gclid: GCLID, gbraid: null }],
  [`utm_source%253Dgoogle%2526gbraid%253D${GBRAID}`, { gclid: null, gbraid: GBRAID }],
  ['wbraid=CjkKCQ', { gclid: null, gbraid: null }],
  [`gclid=${'x'.repeat(513)}&gbraid=1`, { gclid: null, gbraid: '1' }],
  [`gclid=${'x'.repeat(512)}`, { gclid: 'x'.repeat(512), gbraid: null }],
];
for (const [referrer, expected] of CASES)
  it(`a referrer ${referrer.slice(0, 60) || 'without text'} names ${expected === null ? 'no click' : 'a click'} of Google Ads`, () => {
    assert.deepEqual(googleClickIdsIn(referrer), expected);
  });
