import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cleanBody } from './body.ts';

const clean = (event: string) =>
  (cleanBody(JSON.parse(`{"event":${event},"api_version":"1.0"}`)) as { event: unknown }).event;

describe('bodies of RevenueCat', () => {
  it('what nobody stores is left out, and what no database stores is replaced', () => {
    assert.deepEqual(
      clean(
        String.raw`{"id":"a\u0000b","aliases":["\ud800",7,["x"]],"__proto__":{"a":1},"experiments":[{"a":"\ud800"}],
          "subscriber_attributes":{"$name":{"value":"\ud83d"},"throughline_install_id":{"value":"i\udc00","x":1}},
          "price":1e999,"metadata":{"__proto__":"\u0000"},"is_family_share":true}`,
      ),
      {
        id: 'a\ufffdb',
        aliases: ['\ufffd'],
        experiments: [],
        subscriber_attributes: { throughline_install_id: { value: 'i\ufffd' } },
        price: Number.POSITIVE_INFINITY,
        metadata: null,
        is_family_share: true,
      },
    );
  });

  it('a body and an event of another form are left to the schema', () => {
    assert.deepEqual([[], 7, null, undefined].map(cleanBody), [[], 7, null, undefined]);
    assert.deepEqual([clean('7'), clean('null'), cleanBody({})], [7, null, {}]);
  });

  it('depth is no matter', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    assert.deepEqual(clean(`{"id":"a","x":${deep}}`), { id: 'a', x: [] });
  });
});
