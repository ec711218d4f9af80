import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Check } from 'typebox/schema';
import { DESTINATION_CONFIGS } from '../../../../test/fixtures/destination-configs.ts';
import { FULL_RECORD } from '../../../../test/fixtures/forwarded-records.ts';
import { undeclaredFields } from '../../../../test/helpers/declared-fields.ts';
import { randomForwardedRecord } from '../../../../test/helpers/random-forwarded-record.ts';
import { RandomValues } from '../../../../test/helpers/random-values.ts';
import { isRecordPath } from '../record-path.ts';
import { DESTINATION_TYPES } from './index.ts';

describe('types of destinations', () => {
  it('have names of their own', () => {
    const names = DESTINATION_TYPES.map(({ type }) => type);
    assert.equal(new Set(names).size, names.length);
  });

  for (const type of DESTINATION_TYPES) {
    const config = DESTINATION_CONFIGS[type.type] as never;

    it(`${type.type}: no field leaves that the type does not declare`, () => {
      const random = new RandomValues(45);
      let sent = 0;
      for (let round = 0; round < 1_000; round++) {
        const record = randomForwardedRecord(random);
        const made = type.toItem(record, config, {});
        if (!('item' in made)) continue;
        sent++;
        const call = type.toCall([made.item], config, random.integer(2) === 0);
        assert.deepEqual(undeclaredFields(type, call), [], JSON.stringify(record));
        assert.ok(URL.canParse(call.url) && call.body.isWellFormed());
      }
      assert.ok(sent > 20, `${sent} sent`);
    });

    it(`${type.type}: a record is sent the same way each time, and is not changed`, () => {
      const random = new RandomValues(7);
      for (let round = 0; round < 50; round++) {
        const record = randomForwardedRecord(random);
        const before = JSON.stringify(record);
        assert.deepEqual(type.toItem(record, config, {}), type.toItem(record, config, {}));
        assert.equal(JSON.stringify(record), before);
      }
    });

    it(`${type.type}: any answer is read, and each record of a call has one result`, () => {
      const made = type.toItem(FULL_RECORD, config, {});
      assert.ok('item' in made);
      const items = Array.from({ length: Math.min(3, type.limits.maxItems) }, () => made.item);
      const answers = [
        '',
        'null',
        '[]',
        '{}',
        '"x"',
        '<html>',
        '{"error":{}}',
        '\ud800',
        '{"failed_records":[null,{}]}',
      ]
        .concat(['{"events_with_invalid_fields":{"a":[-1,99,"x"]}}', '{"events_with_invalid_fields":[[0]]}'])
        .concat([
          '{"error":{"code":{},"message":[]}}',
          `{"error":{"code":1,"message":"${'x'.repeat(9_000)}"}}`,
        ])
        .concat(['{"code":40002}', '{"code":40100,"message":{}}', '{"code":"0"}', '{"events_received":-1}'])
        .concat(['{"errors":[null,{}],"attributed":1}', '{"validationMessages":[null,{"description":1}]}'])
        .concat(['{"exceeded_daily_quota_users":[]}', '{"quota_limited":"events"}', 'x'.repeat(100_000)]);
      for (const status of [200, 204, 302, 400, 401, 403, 404, 408, 413, 422, 429, 500, 503])
        for (const body of answers) {
          const results = type.readResponse({ status, body }, items);
          if (Array.isArray(results)) {
            assert.equal(results.length, items.length);
            for (const result of results)
              assert.ok(result.outcome === 'accepted' || result.reason.length <= 500);
          } else assert.ok(results === null || results.refusedWhole.length <= 500);
        }
    });

    it(`${type.type}: its config is described, closed, and has its secrets`, () => {
      const { properties } = type.config;
      assert.ok(Check(type.config, config));
      assert.ok(!Check(type.config, { ...DESTINATION_CONFIGS[type.type], unknown: 1 }));
      for (const [name, schema] of Object.entries(properties))
        assert.ok((schema as { description?: string }).description, name);
      for (const secret of type.secrets) assert.ok(secret in properties, secret);
      assert.equal(type.checkConfig?.(config) ?? null, null);
    });

    it(`${type.type}: its mappable fields have sources that exist`, () => {
      for (const source of Object.values(type.mappable))
        assert.ok(source === '' || isRecordPath(source), source);
    });
  }
});
