import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { changerFields, namedFields } from './change.ts';

describe('entries of the audit log', () => {
  it('name the author of a change: a key, a user, the admin token or the first start', () => {
    assert.deepEqual(changerFields({ keyId: 'k' }), { changedBy: 'key', keyId: 'k' });
    assert.deepEqual(changerFields({ user: { id: 'u', email: 'ada@example.com' } }), {
      changedBy: 'user',
      userId: 'u',
      userEmail: 'ada@example.com',
    });
    assert.deepEqual(changerFields('admin'), { changedBy: 'admin' });
    assert.deepEqual(changerFields('first_start'), { changedBy: 'first_start' });
  });

  it('name the given fields that the schema defines', () => {
    const schema = { properties: { name: {}, url: {}, events: {} } };
    const input = { name: 'a', url: undefined, events: null, other: 1, toString: 'x' };
    assert.deepEqual(namedFields(schema, input), ['name', 'events']);
    assert.deepEqual(
      namedFields(schema, input, (value) => value !== null && value !== undefined),
      ['name'],
    );
  });
});
