import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DestinationTypeField as Field } from '@generated/types.gen.ts';
import { fieldsOf, labelOf } from './config-fields.ts';
import { linesOf, parseLines } from './lines.ts';
import { readForm } from './read-form.ts';

const field = (name: string, more: Partial<Field> = {}): Field => ({
  ...{ name, description: '', required: false, secret: false, values: null, default: null },
  ...more,
});
const CONFIG: Field[] = [
  field('firebaseAppId', { required: true, description: 'App ID of one platform' }),
  field('apiSecret', { required: true, secret: true, description: 'Analytics, Admin.' }),
  field('region', { values: ['global', 'eu'], default: 'global' }),
  field('platform', { values: ['ios', 'android'] }),
  field('headers', { secret: true }),
  field('body'),
  field('baseUrl'),
];

function formOf(entries: readonly (readonly [string, string])[]): FormData {
  const form = new FormData();
  for (const [name, value] of entries) form.append(name, value);
  return form;
}

describe('the form of a destination', () => {
  const fields = fieldsOf({ config: CONFIG });

  it('has a field for everything that the type of destination knows', () => {
    const shown = fields.map(({ label, kind, first, isRequired, isSecret, isAdvanced }) => [
      ...[label, kind, first],
      [isRequired && 'required', isSecret && 'secret', isAdvanced && 'advanced'].filter(Boolean).join(),
    ]);
    assert.deepEqual(shown, [
      ['Firebase app ID', 'text', '', 'required'],
      ['API secret', 'text', '', 'required,secret'],
      ['Region', 'choice', 'global', ''],
      ['Platform', 'choice', '', ''],
      ['Headers', 'headers', '', 'secret'],
      ['Body', 'json', '', ''],
      ['Other address', 'address', '', 'advanced'],
    ]);
    assert.deepEqual([fields[0]?.help, fields[1]?.help], ['App ID of one platform.', 'Analytics, Admin.']);
    assert.deepEqual(['devToken', 'linkId', 'url'].map(labelOf), ['Dev token', 'Link ID', 'Address']);
  });

  it('says what was typed, leaves out what is empty, and sends no secret that is kept', () => {
    const read = readForm(
      formOf([
        ['name', ' GA of the shop '],
        ['config.firebaseAppId', ' 1:2:ios:3 '],
        ['config.region', 'eu'],
        ['config.platform', ''],
        ['config.headers', 'Authorization: Bearer a:b\n\nX-Team: shop'],
        ['config.body', '{ "a": "{{name}}" }'],
        ['config.baseUrl', ''],
        ['events', 'event'],
        ['events', 'install'],
        ['eventNames', 'purchase\n\n purchase \nlevel_up'],
        ['mapping.events', 'level_up = Level up\nbuy=Purchase'],
        ['mapping.fields.user_id', 'properties.plan'],
        ['mapping.fields.session_id', ' '],
        ['consent', 'any'],
        ['enabled', 'on'],
      ]),
      fields,
      true,
    );
    assert.deepEqual(read, {
      name: 'GA of the shop',
      config: {
        firebaseAppId: '1:2:ios:3',
        region: 'eu',
        headers: { Authorization: 'Bearer a:b', 'X-Team': 'shop' },
        body: '{ "a": "{{name}}" }',
      },
      events: ['install', 'event'],
      eventNames: ['purchase', 'level_up'],
      mapping: {
        events: { level_up: 'Level up', buy: 'Purchase' },
        fields: { user_id: 'properties.plan' },
      },
      consent: 'any',
      enabled: true,
    });
  });

  it('all kinds of records are no choice, and names of events count with events alone', () => {
    const all = ['install', 'open', 'event'].map((kind) => ['events', kind] as const);
    const read = readForm(formOf([...all, ['eventNames', ''], ['mapping.events', '']]), fields, true);
    const none = { events: {}, fields: {} };
    assert.deepEqual([read.events, read.eventNames, read.mapping, read.consent], [[], [], none, 'granted']);
    const installs = readForm(formOf([all[0] ?? assert.fail(), ['eventNames', 'purchase']]), fields, true);
    assert.deepEqual([installs.events, installs.eventNames], [['install'], []]);
    const any = readForm(formOf([['eventNames', 'purchase']]), fields, true);
    assert.deepEqual([any.events, any.eventNames], [[], ['purchase']]);
  });

  it('a change removes what is emptied, and keeps the secret that is not replaced', () => {
    const typed = [
      ['config.firebaseAppId', '1:2:ios:3'],
      ['config.baseUrl', ' '],
      ['config.headers', ''],
    ] as const;
    const { config } = readForm(formOf(typed), fields, false);
    assert.deepEqual(config, { firebaseAppId: '1:2:ios:3', headers: null, baseUrl: null });
  });

  it('lines are pairs, and pairs are lines', () => {
    const pairs = { a: '1', 'b c': '2=3' };
    assert.deepEqual(parseLines(linesOf(pairs, '='), '='), pairs);
    assert.deepEqual(parseLines('no separator\n\n', ':'), { 'no separator': '' });
    assert.equal(linesOf(undefined, ':'), '');
  });
});
