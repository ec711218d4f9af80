import { recordChange } from '../audit/index.ts';
import { type Actor, authorOf } from '../auth/index.ts';
import { type Db, toFlag } from '../db/index.ts';
import { installsOfPerson } from '../installs/index.ts';
import { type Clock, isoTime } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import type { Secrets } from '../lib/secrets.ts';
import { type LinkRow, listLinksOfInviters } from '../links/index.ts';
import { listWaitingTokens } from '../networks/index.ts';
import { type Person, pages } from '../personal-data.ts';
import { waitingOfPerson } from '../revenuecat/index.ts';
import { addressHashes, findPerson, withoutNeighbours } from './find-person.ts';
import { type AnyPersonalData, EXPORTED } from './manifest.ts';
import { withoutOtherUsers } from './other-users.ts';
import { type ExportInput, identifiersOf, namesOf } from './schemas.ts';

/** All data of a person of before its beginning as chunks of one JSON object, read from the database on demand, so that its size is unbounded. */
export async function exportPerson(
  { db, clock, ids, secrets }: { db: Db; clock: Clock; ids: Ids; secrets: Secrets },
  { actor, input }: { actor: Actor; input: ExportInput },
): Promise<AsyncGenerator<string>> {
  const begunAt = isoTime(clock.nowMs());
  const { ipAddress, userId } = identifiersOf(input);
  const person = await findPerson(db, {
    appId: actor.appId,
    sandboxOnly: actor.mode === 'test',
    userId,
    ipHashes: addressHashes({ secrets }, actor.appId, ipAddress),
  });
  const about = { identifiers: namesOf({ ipAddress, userId }) };
  const change = { appId: actor.appId, by: authorOf(actor), sandbox: toFlag(actor.mode === 'test'), about };
  await db
    .transaction()
    .execute((tx) => recordChange(tx, { clock, ids }, { ...change, action: 'privacy.exported' }));
  return write({ db, secrets }, person, begunAt);
}

async function* write(
  { db, secrets }: { db: Db; secrets: Secrets },
  person: Person,
  begunAt: string,
): AsyncGenerator<string> {
  // Installs of unknown users may be another person's: their events and opens are not exported.
  const certain = await withoutNeighbours(db, person);
  let before = '{';
  for (const data of EXPORTED) {
    yield `${before}${JSON.stringify(data.exportedAs)}:[`;
    yield* writeRecords(db, data.table === 'installs' ? person : certain, { data, begunAt });
    before = '],';
  }
  yield ']';
  yield* writeIfAny('shareLinks', shareLinksOf(db, certain, begunAt));
  yield* writeIfAny('waitingPurchases', waitingOfPerson({ db, secrets }, certain));
  yield* writeIfAny('waitingAppleAdsTokens', waitingTokensOf(db, certain, begunAt));
  yield '}';
}

/** Leaves the field out without any. */
async function* writeIfAny(field: string, items: AsyncIterable<object>): AsyncGenerator<string> {
  let before = `,${JSON.stringify(field)}:[`;
  for await (const item of items) {
    yield before + JSON.stringify(item);
    before = ',';
  }
  if (before === ',') yield ']';
}

/** Tokens of Apple Ads that wait for Apple. */
async function* waitingTokensOf(db: Db, person: Person, begunAt: string): AsyncGenerator<object> {
  for await (const installIds of installIdsOf(db, person)) {
    const tokens = await listWaitingTokens(db, person.appId, installIds);
    yield* tokens.filter(({ receivedAt }) => receivedAt <= begunAt);
  }
}

/** The links that the person's installs made. */
async function* shareLinksOf(db: Db, person: Person, begunAt: string): AsyncGenerator<object> {
  for await (const installIds of installIdsOf(db, person))
    for await (const links of pages<LinkRow>((after, limit) =>
      listLinksOfInviters(db, person.appId, { installIds, after: after?.id ?? null, limit }),
    ))
      yield* links.filter(({ created_at }) => created_at <= begunAt).map(presentShareLink);
}

/** By page, each install once. */
async function* installIdsOf(db: Db, person: Person): AsyncGenerator<string[]> {
  for await (const found of installsOfPerson.find(db, person)) {
    const installs = await withoutOtherUsers(db, person, installsOfPerson, found);
    yield installs.map(({ id }) => id);
  }
}

function presentShareLink(link: LinkRow): Record<string, unknown> {
  return {
    id: link.id,
    installId: link.invited_by,
    shortCode: link.short_code,
    deepLinkPath: link.deep_link_path,
    deepLinkParams: link.deep_link_params,
    campaignId: link.campaign_id,
    ogTitle: link.og_title,
    ogDescription: link.og_description,
    ogImage: link.og_image,
    metadata: link.metadata,
    sandbox: link.sandbox === 1,
    createdAt: link.created_at,
    deletedAt: link.deleted_at,
  };
}

async function* writeRecords(
  db: Db,
  person: Person,
  { data, begunAt }: { data: AnyPersonalData; begunAt: string },
): AsyncGenerator<string> {
  const written = new Set<string>();
  let before = '';
  for await (const found of data.find(db, person)) {
    const rows = (await withoutOtherUsers(db, person, data, found)).filter(
      (row) => !written.has(row.id) && data.recordedAt(row) <= begunAt,
    );
    for (const { id } of rows) written.add(id);
    if (rows.length === 0) continue;
    yield before + rows.map((row) => JSON.stringify(data.present(row))).join(',');
    before = ',';
  }
}
