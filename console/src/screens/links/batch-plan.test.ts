import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Link } from '@generated/types.gen.ts';
import { type BatchEdit, overfull, planEdit } from './batch-plan.ts';

const NOTHING: BatchEdit = { addTags: [], removeTags: [], onlyTags: null };
const link = (fields: Partial<Link>) =>
  ({ shortCode: 'a', tags: [], campaignId: null, expiresAt: null, ...fields }) as Link;

describe('an edit of many links', () => {
  it('changes the links alone that would not be as they are, and nothing but what it says', () => {
    const tagged = link({ tags: ['Sale', 'Print'], campaignId: 'spring' });
    for (const [edit, body] of [
      [{}, null],
      [{ addTags: ['SALE'] }, null],
      [{ addTags: ['New', 'new'] }, { tags: ['Sale', 'Print', 'New'] }],
      [{ removeTags: ['print', 'other'] }, { tags: ['Sale'] }],
      [{ removeTags: ['sale'], addTags: ['SALE'] }, { tags: ['Print', 'SALE'] }],
      [{ onlyTags: [] }, { tags: [] }],
      [{ onlyTags: ['Sale', 'Print'] }, null],
      [{ campaignId: 'spring' }, null],
      [{ campaignId: null }, { campaignId: null }],
      [{ expiresAt: null }, null],
      [
        { expiresAt: '2026-12-31T23:00:00.000Z', campaignId: 'x' },
        { campaignId: 'x', expiresAt: '2026-12-31T23:00:00.000Z' },
      ],
    ] as const)
      assert.deepEqual(
        planEdit([tagged], { ...NOTHING, ...edit }).map((each) => each.body),
        body === null ? [] : [{ shortCode: 'a', ...body }],
        JSON.stringify(edit),
      );
    assert.deepEqual(planEdit([tagged], { ...NOTHING, addTags: ['New'], campaignId: null })[0]?.words, [
      'tags Sale, Print → Sale, Print, New',
      'campaign spring → none',
    ]);
  });

  it('names the links that would have more than 20 tags', () => {
    const full = link({ shortCode: 'full', tags: Array.from({ length: 20 }, (_, place) => `t${place}`) });
    const edit = { ...NOTHING, addTags: ['t3', 'one more'] };
    assert.deepEqual(overfull([link({}), full], edit), [full]);
    assert.deepEqual(overfull([full], { ...edit, removeTags: ['T0'] }), []);
  });
});
