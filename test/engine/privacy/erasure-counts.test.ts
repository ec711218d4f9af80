/** What a dry run of an erasure counts, and what is left out if records of nobody known are to stay. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Database, insertMany } from '../../../src/db/index.ts';
import { engines } from '../../helpers/engines.ts';
import { erase, rowsOf } from '../../helpers/privacy-scene.ts';
import { insertRandomRecords, pick } from '../../helpers/random-records.ts';
import { type TestApp, useWorld, type World } from '../../helpers/world.ts';

const COUNT = 60;
const TABLES = ['clicks', 'installs', 'opens', 'events'] as const;
const CLAIMS = [
  ['installs', 'claimed_by_install'],
  ['opens', 'claimed_by_open'],
] as const;
const [HOME, CARRIER, CAFE] = ['198.51.100.7', '203.0.113.9', '203.0.113.10'];
const USERS = [null, null, null, 'ada', 'bob', 'cy'];

type Counts = Record<string, number>;

/** People at three addresses: some known, most not, with claims across addresses and messages about half of all records. */
async function plantPeople(world: World, app: TestApp): Promise<void> {
  const { db, secrets, ids } = world.service;
  const link = await world.newLink(app);
  const rows = await insertRandomRecords(world, app, { linkIds: [link.id], count: COUNT });
  const hashes = [HOME, CARRIER, CAFE].map((address) => secrets.hashAddress(app.id, address));
  const ofPerson = () => ({ ip_hash: pick([null, ...hashes]), user_id: pick(USERS) });
  const clicks = [...rows.clicks];
  await db.transaction().execute(async (tx) => {
    const update = (table: (typeof TABLES)[number], id: string, values: object) =>
      tx
        .updateTable<(typeof TABLES)[number]>(table)
        .set(values)
        .where('app_id', '=', app.id)
        .where('id', '=', id)
        .execute();
    for (const { id } of rows.clicks) await update('clicks', id, { ip_hash: pick([null, ...hashes]) });
    for (const { id } of rows.events) await update('events', id, { user_id: pick(USERS) });
    for (const [table, claim] of CLAIMS)
      for (const { id } of rows[table]) {
        const click = pick([undefined, clicks.pop()]);
        await update(table, id, { ...ofPerson(), click_id: click?.id ?? null });
        if (click !== undefined) await update('clicks', click.id, { [claim]: id });
      }
  });
  const messages: Database['webhook_messages'][] = TABLES.flatMap((table) =>
    rows[table].flatMap(({ id }) =>
      pick([[], [''], ['{}'], ['{}', '{}']]).map((body) => ({
        ...{ app_id: app.id, id: ids.next(), event_type: 'event.recorded', sandbox: 0 as const },
        ...{ record_id: id, body },
      })),
    ),
  );
  await insertMany(db, 'webhook_messages', messages);
}

const WHO = [
  { userId: 'ada' },
  { userId: 'bob', ipAddress: CARRIER },
  { userId: 'nobody' },
  { userId: 'nobody', ipAddress: HOME },
  { ipAddress: HOME },
  { ipAddress: '192.0.2.1' },
];

async function dryRun(world: World, app: TestApp, body: object, key = app.keys.live) {
  const answer = await world.call('POST', '/v1/privacy/erase', { key, body: { ...body, dryRun: true } });
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.body.isComplete, true);
  return answer.body as { counts: Counts; shared: Counts };
}

/** Of the requests of one call. */
async function erasedCounts(world: World, app: TestApp, requests: readonly Record<string, unknown>[]) {
  const { body } = await world.call('GET', '/v1/privacy/erase', { key: app.keys.live });
  const counts: Counts = {};
  for (const one of body as { id: string; counts: Counts }[])
    if (requests.some(({ id }) => id === one.id))
      for (const [kind, count] of Object.entries(one.counts)) counts[kind] = (counts[kind] ?? 0) + count;
  return counts;
}

/** Records that nobody is known to have made, by a look at every record: those of no user, and of nothing of a user. */
async function idsOfNobody(world: World, app: TestApp): Promise<Set<unknown>> {
  const [clicks, installs, opens, events] = (await Promise.all(
    TABLES.map((table) => rowsOf(world, app, table)),
  )) as unknown as [Rows, Rows, Rows, Rows];
  const users = new Set(
    [...installs, ...opens, ...events].flatMap((row) =>
      row.user_id === null ? [] : [row.install_id ?? row.id],
    ),
  );
  const isOfUser = (row: Row) => row.user_id != null || users.has(row.install_id);
  const known = new Set([
    ...installs.filter(({ id }) => users.has(id)).map(({ id }) => id),
    ...[...opens, ...events].filter(isOfUser).map(({ id }) => id),
  ]);
  for (const { id, claimed_by_install, claimed_by_open } of clicks)
    if (known.has(claimed_by_install) || known.has(claimed_by_open)) known.add(id);
  return new Set(
    [...clicks, ...installs, ...opens, ...events].flatMap(({ id }) => (known.has(id) ? [] : [id])),
  );
}

type Row = Record<string, unknown>;
type Rows = readonly Row[];

/** All records that are not `erased`, as text, by id. */
async function recordsOf(world: World, app: TestApp): Promise<Map<unknown, string>> {
  const rows = (await Promise.all(TABLES.map((table) => rowsOf(world, app, table)))).flat();
  return new Map(rows.map((row) => [row.id, JSON.stringify(row)]));
}

for (const engine of engines)
  describe(`what an erasure would erase on ${engine}`, () => {
    const world = useWorld(engine);

    for (const spareShared of [false, true])
      it(`is what it then erases, ${spareShared ? 'without records of nobody known' : 'with records of nobody known'}`, async () => {
        for (const [whos, key] of [
          [WHO, 'live'],
          [WHO.filter((_, index) => index % 2 === 0), 'test'],
        ] as const) {
          const app = await world.newApp();
          await plantPeople(world, app);
          const caller = { ...app, keys: { ...app.keys, live: app.keys[key] } };
          for (const who of whos) {
            const note = `${JSON.stringify(who)} by the ${key} key`;
            const all = await dryRun(world, caller, who);
            const { counts, shared } = await dryRun(world, caller, { ...who, spareShared });
            assert.deepEqual(shared, all.shared, note);
            for (const [kind, count] of Object.entries(all.counts))
              assert.equal(
                counts[kind],
                spareShared ? count - (shared[kind] ?? 0) : count,
                `${kind}, ${note}`,
              );
            const [before, ofNobody] = [await recordsOf(world, app), await idsOfNobody(world, app)];
            const requests = await erase(world, caller, { ...who, spareShared });
            assert.deepEqual(await erasedCounts(world, app, requests), counts, note);
            if (!spareShared || shared.clicks === 0) continue;
            const after = await recordsOf(world, app);
            for (const [id, text] of before) if (ofNobody.has(id)) assert.equal(after.get(id), text, note);
          }
        }
      });
  });
