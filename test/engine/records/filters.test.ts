/** Each filter of a list has the records that a look at every record has, and no others. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Database } from '../../../src/db/index.ts';
import { engines } from '../../helpers/engines.ts';
import { INVITERS, insertRandomRecords } from '../../helpers/random-records.ts';
import { type TestApp, useWorld } from '../../helpers/world.ts';

const COUNT = 120;
const INVITER = INVITERS[0];
const TABLES = ['clicks', 'installs', 'opens', 'events'] as const;
type Table = (typeof TABLES)[number];
type Rows = Awaited<ReturnType<typeof insertRandomRecords>>;

// Rows of any of the tables, and the install of an event.
type Row = Partial<Database['installs'] & Database['events'] & Database['clicks']> & { readonly id: string };
type Test = (row: Row, of: { source: Row; events: readonly Database['events'][] }) => boolean;

const utm = (field: string, value: string): Test => {
  return (_, { source }) => {
    const stored = (JSON.parse(source.utm ?? '{}')[field] as string | null | undefined) ?? '';
    return stored === value && (value !== '' || source.erased === null);
  };
};
const appVersion = (value: string): Test => {
  return (_, { source }) =>
    ((JSON.parse(source.fingerprint ?? '{}').appVersion as string | undefined) ?? '') === value &&
    (value !== '' || source.erased === null);
};
const major = ({ os_version, platform }: Row) => {
  const [number] = /^\d{1,9}(?!\d)/.exec(os_version ?? '') ?? [];
  return number === undefined ? null : `${platform} ${number}`;
};
const positive = (amount: string | null) => Number(amount ?? 0) > 0;

/** By table or for all, with the link of the parameter LINK. */
const FILTERS: readonly (readonly [tables: readonly Table[], query: string, is: Test])[] = [
  [TABLES, '', () => true],
  [TABLES, 'campaignId=spring', ({ campaign_id }) => campaign_id === 'spring'],
  [TABLES, 'campaignId=', ({ campaign_id }) => campaign_id === null],
  [TABLES, 'country=DE', ({ country }) => country === 'DE'],
  [TABLES, 'country=', ({ country }) => country === null],
  [TABLES, 'platform=IOS', ({ platform }) => platform === 'IOS'],
  [TABLES, 'platform=', ({ platform }) => platform === null],
  [TABLES, 'shortCode=', ({ link_id }) => link_id === null],
  [TABLES, 'referrer=news.example', (_, { source }) => source.referrer === 'news.example'],
  [TABLES, 'referrer=', (_, { source }) => source.referrer === null],
  [TABLES, 'utmSource=mail', utm('source', 'mail')],
  [TABLES, 'utmSource=', utm('source', '')],
  [TABLES, 'utmMedium=email', utm('medium', 'email')],
  [TABLES, 'utmMedium=', utm('medium', '')],
  [TABLES, `utmCampaign=${encodeURIComponent('a "b"')}`, utm('campaign', 'a "b"')],
  [TABLES, 'utmCampaign=', utm('campaign', '')],
  [
    TABLES,
    'utmSource=mail&country=JP&campaignId=spring',
    (row, of) => utm('source', 'mail')(row, of) && row.country === 'JP' && row.campaign_id === 'spring',
  ],
  [['clicks'], 'visitor=all', () => true],
  ...(['installs', 'opens', 'events'] as const).flatMap(
    (table) =>
      [
        [[table], 'userId=ada', ({ user_id }) => user_id === 'ada'],
        [[table], 'platformVersion=IOS+18', (_, { source }) => major(source) === 'IOS 18'],
        [[table], 'platformVersion=ANDROID+1', (_, { source }) => major(source) === 'ANDROID 1'],
        [[table], 'platformVersion=', (_, { source }) => major(source) === null && source.erased === null],
        [[table], 'appVersion=1.2.0', appVersion('1.2.0')],
        [[table], 'appVersion=', appVersion('')],
      ] as const satisfies readonly (readonly [readonly Table[], string, Test])[],
  ),
  [['installs', 'opens'], 'method=CLICK_ID', ({ attribution_method: method }) => method === 'CLICK_ID'],
  [
    ['installs'],
    'method=CLICK_ID&method=FINGERPRINT&method=INSTALL_REFERRER',
    ({ attribution_method: method }) => method !== 'ORGANIC',
  ],
  [['opens'], 'method=DIRECT&method=CLICK_ID', ({ attribution_method: method }) => method !== 'ORGANIC'],
  [['installs'], 'existingUser=false', ({ existing_user }) => existing_user !== 1],
  [['installs'], 'invitedBy=', ({ invited_by }) => invited_by === null],
  [['installs'], `invitedBy=${INVITER.toUpperCase()}`, ({ invited_by }) => invited_by === INVITER],
  [['installs'], 'existingUser=true', ({ existing_user }) => existing_user === 1],
  [
    ['installs'],
    'hasRevenue=true',
    ({ id }, { events }) => events.some((one) => one.install_id === id && positive(one.revenue_amount)),
  ],
  [
    ['installs'],
    'hasRevenue=false',
    ({ id }, { events }) => !events.some((one) => one.install_id === id && positive(one.revenue_amount)),
  ],
  [['events'], 'hasRevenue=true', ({ revenue_amount }) => revenue_amount !== null],
  [['events'], 'hasRevenue=false', ({ revenue_amount }) => revenue_amount === null],
  [['events'], 'eventName=level', ({ event_name }) => event_name === 'level'],
  [['events'], 'eventName=level&eventName=purchase', ({ event_name }) => event_name !== 'Level'],
  [
    ['events'],
    'eventName=level&hasRevenue=true',
    (row) => row.event_name === 'level' && row.revenue_amount !== null,
  ],
];

for (const engine of engines)
  describe(`the filters of lists on ${engine}`, () => {
    const world = useWorld(engine);
    let app: TestApp;
    let rows: Rows;
    let links: readonly { id: string; shortCode: string }[] = [];

    before(async () => {
      app = await world.newApp();
      const other = await world.newApp();
      links = [await world.newLink(app), await world.newLink(app)];
      const theirs = await world.newLink(other);
      rows = await insertRandomRecords(world, app, { linkIds: links.map(({ id }) => id), count: COUNT });
      await insertRandomRecords(world, other, { linkIds: [theirs.id], count: COUNT });
    });

    async function read(table: Table, query: string, accept = 'application/json') {
      await world.service.rateLimits.counterOf(BUDGET).refund(`${app.id} live`);
      const answer = await world.call('GET', `/v1/${table}?${query}`, {
        key: app.keys.live,
        headers: { accept },
      });
      assert.equal(answer.status, 200, answer.text);
      return answer;
    }

    function matching(table: Table, query: string, is: Test, sandbox: 0 | 1): string[] {
      const installs = new Map(rows.installs.map((install) => [install.id, install]));
      return (rows[table] as readonly Row[])
        .filter((row) => {
          const source = (table === 'events' ? installs.get(row.install_id ?? '') : row) as Row;
          const isSeen = table !== 'clicks' || query.includes('visitor=all') || row.visitor === 'human';
          return row.sandbox === sandbox && isSeen && is(row, { source, events: rows.events });
        })
        .map(({ id }) => id)
        .sort();
    }

    for (const [tables, query, is] of FILTERS)
      it(`${tables.join(', ')}: ${query || 'none'}`, async () => {
        for (const table of tables) {
          const exported = await read(table, query, 'application/x-ndjson');
          const lines = exported.text.split('\n').filter(Boolean);
          assert.deepEqual(
            idsOf(lines.map((line) => JSON.parse(line))),
            matching(table, query, is, 0),
            table,
          );
          const listed = await read(table, `${query}&sandbox=true&include=total&limit=100`);
          const expected = matching(table, query, is, 1);
          assert.deepEqual(idsOf(listed.body), expected, table);
          assert.equal(listed.headers['x-total-count'], String(expected.length));
        }
      });

    it('by a link', async () => {
      for (const table of TABLES)
        for (const { id, shortCode } of links) {
          const expected = matching(table, '', ({ link_id }) => link_id === id, 0);
          const answer = await read(table, `shortCode=${shortCode}&include=total`);
          assert.equal(answer.headers['x-total-count'], String(expected.length));
          assert.ok(answer.body.every((item: { shortCode: string }) => item.shortCode === shortCode));
        }
    });
  });

const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => id).sort();

// An app has 600 calls a minute.
const BUDGET = { name: 'management', points: 600, shared: false };
