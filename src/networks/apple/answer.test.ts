import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readAnswer } from './answer.ts';

it('an answer of Apple keeps every digit of its IDs', () => {
  const body =
    '{"attribution":true,"orgId":1,"campaignId":9007199254740993,"adGroupId":12345678901234567890,"adId":7}';
  const claim = readAnswer({ status: 200, body }, 0)?.claim;
  assert.deepEqual(
    [claim?.campaignId, claim?.adGroupId, claim?.adId],
    ['9007199254740993', '12345678901234567890', '7'],
  );
});
