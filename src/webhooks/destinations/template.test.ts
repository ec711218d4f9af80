import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FULL_RECORD, SPARSE_RECORD } from '../../../test/fixtures/forwarded-records.ts';
import { HOSTILE_TEXTS } from '../../../test/fixtures/messages/notices.ts';
import { RandomValues } from '../../../test/helpers/random-values.ts';
import type { ForwardedRecord } from './destination-type.ts';
import { readPath } from './record-path.ts';
import {
  Filling,
  fillJson as fillJsonBy,
  fillText as fillTextBy,
  problemOfJson,
  problemOfText,
} from './template.ts';

const MAX_CHARACTERS = 64 * 1024;
const fillJson = (template: unknown, record: ForwardedRecord) =>
  fillJsonBy(template, new Filling(record, MAX_CHARACTERS));
const fillText = (text: string, record: ForwardedRecord) =>
  fillTextBy(text, new Filling(record, MAX_CHARACTERS));

describe('a template', () => {
  for (const [template, full, sparse] of [
    ['{{properties.plan}}', 'yearly', null],
    ['{{ properties.items }}', 2, null],
    ['{{properties.gift}}', true, null],
    ['{{properties.tags}}', ['a', 'b'], null],
    ['{{revenue}}', FULL_RECORD.revenue, null],
    ['{{revenue.amount}}', '19.99', null],
    ['{{revenue.amountAsNumber}}', 19.99, null],
    ['Plan {{properties.plan}}.', 'Plan yearly.', 'Plan .'],
    ['{{properties.items}}{{properties.gift}}', '2true', ''],
    [' {{properties.items}}', ' 2', ' '],
    ['{{properties.seller}}!', '{"name":"Ana"}!', '!'],
    ['no placeholder', 'no placeholder', 'no placeholder'],
    ['a } b }} c { d', 'a } b }} c { d', 'a } b }} c { d'],
    [7, 7, 7],
    [null, null, null],
    [{ a: [{ b: '{{userId}}' }] }, { a: [{ b: 'user-1001' }] }, { a: [{ b: null }] }],
  ])
    it(`${JSON.stringify(template)} becomes ${JSON.stringify(full)}, or ${JSON.stringify(sparse)}`, () => {
      assert.equal(problemOfJson(template), null);
      assert.deepEqual(fillJson(template, FULL_RECORD), full);
      assert.deepEqual(fillJson(template, SPARSE_RECORD), sparse);
    });

  for (const [text, problem] of [
    [
      '{{userid}}',
      /placeholder \{\{userid\}\}, which is not one of record, .*userId.* or properties\.<name>/,
    ],
    ['{{}}', /placeholder \{\{\}\}/],
    ['{{constructor}}', /which is not one of/],
    ['{{#if userId}}', /which is not one of/],
    ['{{userId', /“\{\{” without “\}\}”/],
    ['{{a{{userId}}', /“\{\{” without “\}\}”/],
  ] as const)
    it(`${text} is refused`, () => assert.match(problemOfText(text) ?? '', problem));

  it('is refused for its depth, its number of placeholders, and for placeholders in names of fields', () => {
    const nested = (levels: number): unknown => (levels === 1 ? 1 : [nested(levels - 1)]);
    assert.equal(problemOfJson(nested(10)), null);
    assert.equal(problemOfJson(nested(11)), 'is nested deeper than 10 levels');
    assert.equal(problemOfJson('{{id}}'.repeat(100)), null);
    assert.equal(problemOfJson('{{id}}'.repeat(101)), 'has more than 100 placeholders');
    assert.match(problemOfJson({ '{{id}}': 1 }) ?? '', /name of a field/);
  });

  it('keeps its shape whatever the values are: each placeholder is its value, and nothing else changes', () => {
    const random = new RandomValues(45);
    for (let round = 0; round < 2_000; round++) {
      const record = hostileRecord(random);
      const template = randomTemplate(random, 4);
      const filled = JSON.parse(JSON.stringify(fillJson(template, record)));
      assert.deepEqual(filled, JSON.parse(JSON.stringify(expected(template, record))));
    }
  });

  it('reads each value once, and fills in no more than there is room for', () => {
    let reads = 0;
    const properties = { toJSON: () => `${'x'.repeat(999)}${++reads}` };
    const record = { ...FULL_RECORD, properties } as unknown as ForwardedRecord;
    const filling = new Filling(record, 10_000);
    const filled = fillTextBy('{{properties}}'.repeat(100), filling);
    assert.equal(reads, 1);
    assert.ok(filling.isTooLong && filled.length <= 10_000, `${filled.length} characters`);
    const list = new Filling(FULL_RECORD, 1_000);
    const values = fillJsonBy(Array(100).fill('{{properties}}'), list) as unknown[];
    assert.ok(list.isTooLong && JSON.stringify(values.filter((each) => each !== null)).length < 1_100);
  });

  it('evaluates nothing in a value', () => {
    const record = { ...FULL_RECORD, userId: '{{properties.plan}}{{app.name}}' };
    assert.equal(fillJson('{{userId}}', record), '{{properties.plan}}{{app.name}}');
    assert.equal(fillText('a {{userId}} $& $1', record), 'a {{properties.plan}}{{app.name}} $& $1');
  });

  it('keeps a field called __proto__ a field', () => {
    const filled = fillJson(JSON.parse('{"__proto__": {"a": "{{id}}"}}'), FULL_RECORD);
    assert.equal(JSON.stringify(filled), `{"__proto__":{"a":"${FULL_RECORD.id}"}}`);
  });
});

const HOSTILE = [
  ...HOSTILE_TEXTS,
  '","admin":true,"x":"',
  '"}',
  '\\',
  '\u2028',
  '\ud800',
  '{{name}}',
  '$&',
  '',
];

function hostileRecord(random: RandomValues): ForwardedRecord {
  const value = () => random.pick<unknown>([...HOSTILE, 0, -1.5, true, null, [1], { a: '"' }]);
  return {
    ...FULL_RECORD,
    userId: random.pick([...HOSTILE, null]),
    properties: { plan: value(), items: value(), 'odd "name': value(), constructor: value() },
  };
}

const PATHS = ['userId', 'properties.plan', 'properties.items', 'properties.odd "name', 'properties.none'];

/** With leaves that are written as placeholders or plain text. */
function randomTemplate(random: RandomValues, depth: number): unknown {
  const kind = depth === 0 ? 0 : random.integer(4);
  if (kind < 2) return random.pick([`{{${random.pick(PATHS)}}}`, 'plain "text', 5, false, null, '}}']);
  const children = random.list(3, () => randomTemplate(random, depth - 1));
  return kind === 2 ? children : Object.fromEntries(children.map((child, nth) => [`"field${nth}`, child]));
}

function expected(template: unknown, record: ForwardedRecord): unknown {
  const path = PATHS.find((each) => template === `{{${each}}}`);
  if (path !== undefined) return readPath(record, path);
  if (Array.isArray(template)) return template.map((each) => expected(each, record));
  if (typeof template !== 'object' || template === null) return template;
  return Object.fromEntries(Object.entries(template).map(([name, child]) => [name, expected(child, record)]));
}
