import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import * as client from '../../../packages/core/src/limits.ts';
import * as service from '../../../src/events/limits.ts';
import { RecordInstall } from '../../../src/installs/schemas.ts';
import { Revenue } from '../../../src/stats/index.ts';

describe('the bounds of events', () => {
  it('in @throughline/core are those of the service', () => {
    const { MAX_BATCH_EVENTS, MAX_BATCH_BYTES, MAX_BATCH_FIELDS, MAX_BATCH_COMMAS } = service;
    const { MAX_PROPERTIES_BYTES, MAX_DEPTH } = service;
    const numbers = { MAX_BATCH_EVENTS, MAX_BATCH_BYTES, MAX_BATCH_FIELDS, MAX_BATCH_COMMAS };
    const {
      AMOUNT: _amount,
      CURRENCY: _currency,
      MAX_CHARACTERS: _,
      MAX_URL_CHARACTERS: _url,
      MAX_OPENED_URL_CHARACTERS: _opened,
      MAX_PATH_CHARACTERS: _path,
      MAX_LINK_PARAMS_BYTES: _params,
      MAX_DESCRIPTION_CHARACTERS: _description,
      MAX_APPLE_TOKEN_CHARACTERS: _token,
      MAX_META_REFERRER_CHARACTERS: _meta,
      MAX_REFERRER_CHARACTERS: _referrer,
      MAX_DEVICE_CHARACTERS: _device,
      MAX_DEVICE_SIZE: _size,
      MAX_TOKEN_CHARACTERS: _click,
      ...own
    } = client;
    assert.deepEqual(own, { ...numbers, MAX_PROPERTIES_BYTES, MAX_DEPTH });
    for (const value of [
      service.MAX_EVENT_NAME_CHARACTERS,
      service.MAX_USER_ID_CHARACTERS,
      service.MAX_TRANSACTION_ID_CHARACTERS,
    ])
      assert.equal(client.MAX_CHARACTERS, value);
    const { appleAdsToken, metaReferrer } = JSON.parse(JSON.stringify(RecordInstall.properties));
    const maxOf = (schema: object) => Number(/"maxLength":(\d+)/.exec(JSON.stringify(schema))?.[1]);
    assert.equal(client.MAX_APPLE_TOKEN_CHARACTERS, maxOf(appleAdsToken));
    assert.equal(client.MAX_META_REFERRER_CHARACTERS, maxOf(metaReferrer));
    const { amount, currency } = Revenue.properties;
    assert.equal(client.AMOUNT.source, new RegExp((amount as { pattern?: string }).pattern ?? '').source);
    assert.equal(client.CURRENCY.source, new RegExp((currency as { pattern?: string }).pattern ?? '').source);
  });

  it('in the Kotlin client are those of @throughline/core', () => {
    // Apple’s token is of iOS alone.
    const { AMOUNT, CURRENCY, MAX_BATCH_BYTES, MAX_APPLE_TOKEN_CHARACTERS: _, ...numbers } = client;
    assert.deepEqual(constantsIn('Limits.kt'), {
      ...numbers,
      AMOUNT: AMOUNT.source,
      CURRENCY: CURRENCY.source,
    });
    assert.ok(Number(constantsIn('EventQueue.kt').SENT_BYTES) <= MAX_BATCH_BYTES);
  });

  it('in the Swift client are those of @throughline/core', () => {
    // Meta’s referrer is of Android alone; amounts and currencies have tests of their own there.
    const { AMOUNT: _, CURRENCY: _currency, MAX_BATCH_BYTES: _bytes, ...numbers } = client;
    const { MAX_META_REFERRER_CHARACTERS: _meta, ...own } = numbers;
    const file = join(import.meta.dirname, '../../../clients/swift/Sources/Throughline/Limits.swift');
    const lines = readFileSync(file, 'utf8').matchAll(/static let (\w+) = ([\d_ *]+)$/gm);
    const found = [...lines].map(([, name = '', product = '']) => [
      `MAX_${name.replace(/[A-Z]/g, (capital) => `_${capital}`).toUpperCase()}`,
      product.split('*').reduce((value, part) => value * Number(part.replaceAll('_', '')), 1),
    ]);
    assert.deepEqual(Object.fromEntries(found), own);
  });
});

/** The numbers and patterns that a file of the Kotlin client declares. */
function constantsIn(file: string): Record<string, number | string> {
  const text = readFileSync(join(import.meta.dirname, '../../../clients/kotlin/src', file), 'utf8');
  const constants: Record<string, number | string> = {};
  for (const [, name = '', product = ''] of text.matchAll(/const val (\w+) = ([\d_ *]+)$/gm))
    constants[name] = product.split('*').reduce((value, part) => value * Number(part.replaceAll('_', '')), 1);
  for (const [, name = '', source = ''] of text.matchAll(/val (\w+) = Regex\("""(.+)"""\)$/gm))
    constants[name] = source;
  return constants;
}
