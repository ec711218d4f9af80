import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Check } from 'typebox/schema';
import { DESTINATION_CONFIGS } from '../../../../test/fixtures/destination-configs.ts';
import { FULL_RECORD } from '../../../../test/fixtures/forwarded-records.ts';
import { undeclaredFields } from '../../../../test/helpers/declared-fields.ts';
import { randomForwardedRecord } from '../../../../test/helpers/random-forwarded-record.ts';
import { RandomValues } from '../../../../test/helpers/random-values.ts';
import { readResponse } from '../read-response.ts';
import { isRecordPath } from '../record-path.ts';
import { DESTINATION_TYPES } from './index.ts';

/** As the pages that the modules name have them. */
const SUCCESSES: Readonly<Record<string, readonly string[]>> = {
  amplitude: ['{"code":200,"events_ingested":1,"payload_size_bytes":50,"server_upload_time":1396381378123}'],
  mixpanel: ['{"code":200,"num_records_imported":1,"status":"OK"}'],
  posthog: ['{"status":"Ok"}', '{"status": 1}', '{"status":"Ok","quota_limited":["recordings"]}'],
  segment: ['{"success":true}', '{\n  "success": true\n}', 'OK', '"OK"', 'ok\n', '{"ok":true}'],
  meta: ['{"events_received":1,"messages":[],"fbtrace_id":"AbC"}'],
  tiktok: ['{"code":0,"message":"OK","request_id":"2026","data":{}}'],
  google_ads: [
    '{"ad_events":[],"errors":[],"attributed":false}',
    '{"attributed":true,"ad_events":[{"ad_event_id":"Q2owS0VRancwZHk0Q"}]}',
  ],
};
/** Of whatever stands before the receiver. */
const FOREIGN = [
  ...['', ' ', 'null', '[]', '{}', 'true', '<!doctype html><title>Sign in</title>', 'not the service'],
  ...['{"status":"error"}', '{"success":"true"}', '{"message":"ok"}', '{"ok":1}', '{"code":"200"}', 'okay'],
];
const ERRORS: Readonly<Record<string, readonly string[]>> = {
  amplitude: ['{"code":400,"error":"Invalid API key: x"}', '{"code":503,"error":"busy"}'],
  mixpanel: [
    '{"code":200,"num_records_imported":0,"status":"OK"}',
    '{"error":"x","status":0}',
    '{"code":400,"num_records_imported":1}',
  ],
  posthog: ['{"status":0}', '{"status":"1"}', '{"type":"validation_error","detail":"x"}'],
  segment: ['{"success":false,"message":"x"}', '{"ok":false,"errors":["x"]}'],
  meta: ['{"events_received":0}', '{"events_received":"1"}'],
  tiktok: ['{"code":40105,"message":"Access token is incorrect"}'],
  google_ads: ['{"errors":[]}'],
};

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
        const call = type.toCall([made.item], config, random.oneIn(2));
        assert.deepEqual(undeclaredFields(type, call), [], JSON.stringify(record));
        assert.ok(URL.canParse(call.url));
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

    it(`${type.type}: a transaction that was counted before is ${type.type === 'http' ? 'sent as one' : 'left out'}`, () => {
      const repeat = { ...FULL_RECORD, revenue: null, repeatsTransaction: true };
      const made = type.toItem(repeat, config, {});
      if (type.type === 'http') assert.ok('item' in made);
      else assert.deepEqual(made, { leftOut: 'The transaction was counted with an event before.' });
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

    if (type.type !== 'ga4' && type.type !== 'http')
      it(`${type.type}: a 2xx delivers only with what the receiver answers to records that it took`, () => {
        const made = type.toItem(FULL_RECORD, config, {});
        assert.ok('item' in made);
        const sent = [{ ref: { kind: 'event', id: FULL_RECORD.id } as const, item: made.item, bytes: 2 }];
        const read = (status: number, body: string) => readResponse(type as never, sent, { status, body });
        for (const success of SUCCESSES[type.type] ?? [])
          assert.deepEqual(read(200, success), { results: [{ outcome: 'accepted' }] }, success);
        assert.ok(SUCCESSES[type.type]?.length);
        for (const body of [...FOREIGN, ...(ERRORS[type.type] ?? [])])
          for (const status of [200, 201, 204]) {
            const answer = read(status, body);
            assert.ok('isHeld' in answer && answer.reason, `${status} ${body} ${JSON.stringify(answer)}`);
          }
        const { reason } = read(200, '<html><title>Sign in</title>') as { reason: string };
        assert.match(reason, /Check the address, .* sign-in page .* begins with: <html><title>Sign in/);
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
