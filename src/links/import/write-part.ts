import { type AppRow, revisionOfLinks } from '../../apps/index.ts';
import { insertJsonRows, insertRows, type Write } from '../../db/index.ts';
import type { Foundation } from '../../foundation.ts';
import { isoTime } from '../../lib/clock.ts';
import { makeCode } from '../store-links.ts';
import { tagKey } from '../tags.ts';
import { SEARCHED, wordsOf } from '../words.ts';
import type { Accepted, AcceptedPart } from './accepted-file.ts';
import { compare, findInTheWay, type Verdict } from './compare-links.ts';
import { VALUE_COLUMNS } from './import.ts';
import { listParts, type Owned, replacePart, updateOwn } from './queries.ts';
import { packRows, unpackRows } from './report.ts';

type WriteDeps = Pick<Foundation, 'store' | 'db' | 'clock' | 'ids'>;

export interface WriteJob {
  readonly of: Owned;
  readonly mode: 'live' | 'test';
  readonly app: Pick<AppRow, 'id'>;
  /** Whether links keep their path; else their short code. */
  readonly byPath: boolean;
  /** What the audit log says with so many links stored; part of the commit. */
  readonly audit: (created: number) => Write;
}

/** The import is another process's by now, or was ended. */
export class ImportLost extends Error {
  override readonly name = 'ImportLost';
}

/** Each attempt fails for a link that was stored in between, or for a generated code that exists. */
const MAX_ATTEMPTS = 5;
const LINK_COLUMNS = ['id', 'short_code', 'app_id', 'created_at', 'updated_at', ...VALUE_COLUMNS];

/**
 * Stores the links of a part of the file in one transaction, with the progress of the import. A link in whose way another one
 * has come since the judgement is settled anew in the report.
 * @returns how many were stored.
 * @throws ImportLost
 */
export async function writePart(
  deps: WriteDeps,
  job: WriteJob,
  { part, createdBefore, progress }: { part: AcceptedPart; createdBefore: number; progress: number },
): Promise<number> {
  const { of, byPath } = job;
  const resettled = new Map<number, Verdict>();
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const links = part.links.filter(({ index }) => !resettled.has(index));
    const counts = {
      created: links.length,
      ...countVerdicts(resettled),
    };
    const state = { progress, written_parts: part.number + 1 };
    const statements = [
      updateOwn(deps.db, of, state, counts),
      ...(await linkRows(deps, job, links)),
      ...(await correctedReport(deps, of, part.number, resettled)),
      job.audit(createdBefore + links.length),
      revisionOfLinks(deps.db, of.appId),
    ];
    const failed = await deps.store.commit(statements, of.appId);
    if (failed === null) return links.length;
    if (failed === 0) throw new ImportLost('the import has ended');
    const stored = await findInTheWay(deps.db, {
      appId: of.appId,
      byPath,
      keys: links.map(({ key }) => key),
    });
    for (const { index, key, values } of links) {
      const inTheWay = stored.get(key);
      if (inTheWay === undefined) continue;
      resettled.set(index, compare({ appId: of.appId, mode: job.mode }, { values, byPath }, inTheWay));
    }
  }
  throw new Error(`Failed to store links of an import in ${MAX_ATTEMPTS} attempts`);
}

function countVerdicts(verdicts: ReadonlyMap<number, Verdict>) {
  const all = [...verdicts.values()];
  const unchanged = all.filter(({ outcome }) => outcome === 'unchanged').length;
  return { unchanged, conflicts: all.length - unchanged };
}

/** Codes in order, so that two imports that want the same ones do not wait for each other in a circle. */
async function linkRows(
  { db, clock, ids }: WriteDeps,
  { of: { appId }, byPath }: WriteJob,
  links: readonly Accepted[],
): Promise<Write[]> {
  const now = isoTime(clock.nowMs());
  const rows = links.map((link) => ({ ...link, id: ids.next(), code: byPath ? makeCode() : link.key }));
  const shared = `${JSON.stringify(appId)},"${now}","${now}"`;
  const count = rows.length;
  const codes = rows
    .toSorted((a, b) => (a.code < b.code ? -1 : 1))
    .map(({ code, id }) => `["${code}","${appId}","${id}"]`);
  const texts = rows.map(({ id, code, values }) => `["${id}","${code}",${shared},${values}]`);
  const tags = rows.flatMap(({ id, tags: some }) =>
    some.map((tag) => ({ app_id: appId, tag: tagKey(tag), link_id: id })),
  );
  const words = rows.map(({ id, code, values }) => ({
    app_id: appId,
    link_id: id,
    words: wordsOf({ ...searchedOf(values), short_code: code }),
  }));
  const rules = rows.flatMap(({ id, rules: some }) =>
    some.map((rule) => ({ app_id: appId, link_id: id, ...rule })),
  );
  return [
    ...(await insertJsonRows(db, 'short_codes', {
      columns: ['code', 'app_id', 'link_id'],
      json: `[${codes.join(',')}]`,
      count,
    })),
    ...(await insertJsonRows(db, 'links', { columns: LINK_COLUMNS, json: `[${texts.join(',')}]`, count })),
    ...(await insertRows(db, 'link_texts', words)),
    ...(await insertRows(db, 'link_tags', tags)),
    ...(await insertRows(db, 'link_rules', uniqueRules(rules))),
  ];
}

type Searched = Parameters<typeof wordsOf>[0];

function searchedOf(values: string): Searched {
  const all = JSON.parse(`[${values}]`) as (string | null | undefined)[];
  const columns = SEARCHED.filter((column) => column !== 'short_code');
  return Object.fromEntries(
    columns.map((column) => [column, all[VALUE_COLUMNS.indexOf(column)] ?? null]),
  ) as unknown as Searched;
}

/** A rule that a link has twice is stored once. */
function uniqueRules<Rule extends { readonly link_id: string; readonly id: string }>(rules: Rule[]): Rule[] {
  return [...new Map(rules.map((rule) => [`${rule.link_id} ${rule.id}`, rule])).values()];
}

async function correctedReport(
  { db }: Pick<Foundation, 'db'>,
  { appId, id }: Owned,
  number: number,
  verdicts: ReadonlyMap<number, Verdict>,
): Promise<Write[]> {
  if (verdicts.size === 0) return [];
  const [part] = await listParts(db, { appId, id }, { from: number, limit: 1 });
  if (part === undefined) throw new Error('a part of the report is missing');
  const rows = await unpackRows(part.content);
  const corrected = rows.map((row, index) => {
    const verdict = verdicts.get(index);
    if (verdict === undefined) return row;
    return { ...row, ...verdict, ...(verdict.outcome === 'conflict' && { shortUrl: null }) };
  });
  return [replacePart(db, { ...part, content: await packRows(corrected) })];
}
