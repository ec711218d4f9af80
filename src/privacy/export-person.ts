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
import { findPerson, withoutNeighbours } from './find-person.ts';
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
    ipHash: ipAddress === null ? null : secrets.hashAddress(actor.appId, ipAddress),
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
  yield* writeShareLinks(db, certain, begunAt);
  yield* writeWaiting({ db, secrets }, certain);
  yield* writeWaitingTokens(db, certain, begunAt);
  yield '}';
}

/** Purchases that wait for their user; the field is left out without any. */
async function* writeWaiting(deps: { db: Db; secrets: Secrets }, person: Person): AsyncGenerator<string> {
  let before = ',"waitingPurchases":[';
  for await (const purchase of waitingOfPerson(deps, person)) {
    yield before + JSON.stringify(purchase);
    before = ',';
  }
  if (before === ',') yield ']';
}

/** Tokens of Apple Ads that wait for Apple; the field is left out without any. */
async function* writeWaitingTokens(db: Db, person: Person, begunAt: string): AsyncGenerator<string> {
  const written = new Set<string>();
  let before = ',"waitingAppleAdsTokens":[';
  for await (const found of installsOfPerson.find(db, person)) {
    const installs = await withoutOtherUsers(db, person, installsOfPerson, found);
    const installIds = installs.map(({ id }) => id);
    for (const token of await listWaitingTokens(db, person.appId, installIds)) {
      if (written.has(token.id) || token.receivedAt > begunAt) continue;
      written.add(token.id);
      yield before + JSON.stringify(token);
      before = ',';
    }
  }
  if (before === ',') yield ']';
}

/** The links that the person's installs made; the field is left out without any. */
async function* writeShareLinks(db: Db, person: Person, begunAt: string): AsyncGenerator<string> {
  let before = ',"shareLinks":[';
  for await (const found of installsOfPerson.find(db, person)) {
    const installs = await withoutOtherUsers(db, person, installsOfPerson, found);
    const installIds = installs.map(({ id }) => id);
    for await (const links of pages<LinkRow>((after, limit) =>
      listLinksOfInviters(db, person.appId, { installIds, after: after?.id ?? null, limit }),
    )) {
      const written = links.filter(({ created_at }) => created_at <= begunAt);
      if (written.length === 0) continue;
      yield before + written.map((link) => JSON.stringify(presentShareLink(link))).join(',');
      before = ',';
    }
  }
  if (before === ',') yield ']';
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
