import type { Actor } from '../apps/index.ts';
import { insertAuditEntries } from '../audit/index.ts';
import { isoTime } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import { toFlag } from '../platform/db/index.ts';
import type { Person } from '../platform/personal-data.ts';
import { findPerson, withoutNeighbours } from './find-person.ts';
import { type AnyPersonalData, EXPORTED } from './manifest.ts';
import { type ExportInput, identifiersOf } from './schemas.ts';
import { withoutStrangers } from './strangers.ts';

/**
 * All that is held of a person, as the text of one JSON object. It comes in parts, each read from the database when the
 * one before was taken, so that its size is nobody's concern.
 */
export async function exportPerson(
  ctx: Ctx,
  { actor, input }: { actor: Actor; input: ExportInput },
): Promise<AsyncGenerator<string>> {
  const { ipAddress, userId } = identifiersOf(input);
  const person = await findPerson(ctx, {
    appId: actor.appId,
    sandboxOnly: actor.mode === 'test',
    userId,
    ipHash: ipAddress === null ? null : ctx.secrets.hashAddress(actor.appId, ipAddress),
  });
  await insertAuditEntries(ctx.db, [
    {
      app_id: actor.appId,
      id: ctx.ids.next(),
      action: 'privacy.exported',
      details: JSON.stringify({
        identifiers: [...(ipAddress === null ? [] : ['ipAddress']), ...(userId === null ? [] : ['userId'])],
        keyId: actor.keyId,
      }),
      sandbox: toFlag(actor.mode === 'test'),
      created_at: isoTime(ctx.clock.nowMs()),
    },
  ]);
  return write(ctx, person);
}

async function* write(ctx: Ctx, person: Person): AsyncGenerator<string> {
  // Of installs of which nobody knows whose they are, no more is told than what came from the person's addresses.
  const certain = await withoutNeighbours(ctx, person);
  let before = '{';
  for (const data of EXPORTED) {
    yield `${before}${JSON.stringify(data.exportedAs)}:[`;
    yield* writeRecords(ctx, data.table === 'installs' ? person : certain, data);
    before = '],';
  }
  yield ']}';
}

async function* writeRecords(ctx: Ctx, person: Person, data: AnyPersonalData): AsyncGenerator<string> {
  const written = new Set<string>();
  let before = '';
  for await (const found of data.find(ctx, person)) {
    const rows = (await withoutStrangers(ctx, person, data, found)).filter(({ id }) => !written.has(id));
    for (const { id } of rows) written.add(id);
    if (rows.length === 0) continue;
    yield before + rows.map((row) => JSON.stringify(data.present(row))).join(',');
    before = ',';
  }
}
