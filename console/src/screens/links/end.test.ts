import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatMoment } from '../../formats.ts';
import { ENDS_OF_MANY, endsOfOne } from './end.ts';
import { readFields } from './link-fields.ts';

const AT = '2026-12-31T23:00:00.000Z';
const NOW = new Date('2026-01-01T12:00:00.000Z');

function endIn(values: Record<string, string>) {
  const form = new FormData();
  for (const [name, value] of Object.entries(values)) form.set(name, value);
  const read = readFields(form, false, NOW);
  assert.ok('fields' in read);
  return 'expiresAt' in read.fields ? read.fields.expiresAt : 'as before';
}

describe('the end of a link', () => {
  it('is shown where there is one, and can be removed then', () => {
    const [[, stays] = []] = endsOfOne(AT);
    assert.ok(stays?.endsWith(formatMoment(AT, { seconds: false })));
    assert.deepEqual(
      [endsOfOne(AT), endsOfOne(null), ENDS_OF_MANY].map((options) => options.map(([value]) => value)),
      [
        ['', 'days', 'day', 'never'],
        ['', 'days', 'day'],
        ['', 'days', 'day', 'never'],
      ],
    );
    assert.equal(endsOfOne(null)[0]?.[1], 'Never');
  });

  it('stays, goes, or is set by days or with the whole of a last day', () => {
    assert.equal(endIn({}), 'as before');
    assert.equal(endIn({ end: '' }), 'as before');
    assert.equal(endIn({ end: 'never' }), null);
    assert.equal(endIn({ end: 'days', days: '2' }), '2026-01-03T12:00:00.000Z');
    assert.equal(endIn({ end: 'day', day: '2026-12-31' }), new Date(2027, 0, 1).toISOString());
  });
});
