import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { linkFields } from './link-fields.ts';

describe('the fields of a link', () => {
  it('are all that the API takes', () => {
    const { components } = JSON.parse(readFileSync('docs/api/openapi.json', 'utf8'));
    const { shortCode: _, ...properties } = components.schemas.CreateLink.properties;
    assert.deepEqual(Object.keys(linkFields).sort(), Object.keys(properties).sort());
  });
});
