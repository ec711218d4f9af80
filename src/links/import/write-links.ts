import { revisionOfLinks } from '../../apps/index.ts';
import { type NewRows, toRowText, type Write } from '../../db/index.ts';
import type { Foundation } from '../../foundation.ts';
import { isoTime } from '../../lib/clock.ts';
import { CODE_ALPHABET, makeCode } from '../store-links.ts';
import type { Accepted, AcceptedLinks } from './accepted-file.ts';
import { compare, findInTheWay, type Verdict } from './compare-links.ts';
import { HALF, VALUE_COLUMNS } from './import.ts';
import { listParts, type Owned, replacePart, updateOwn } from './queries.ts';
import { packRows, unpackRows } from './report.ts';

type WriteDeps = Pick<Foundation, 'store' | 'db' | 'clock' | 'ids'>;

export interface WriteJob {
  readonly of: Owned;
  readonly mode: 'live' | 'test';
  /** Whether links keep their path; else their short code. */
  readonly byPath: boolean;
}

/** Of all links of the import, from 0 to 1. */
interface Share {
  readonly from: number;
  readonly to: number;
}

type Resettled = Map<AcceptedLinks['links'][number], Verdict>;

/** The import is another process's by now, or was ended. */
export class ImportLost extends Error {
  override readonly name = 'ImportLost';
}

/** Each attempt fails for a link that was stored in between, or for a generated code that exists. */
const MAX_ATTEMPTS = 5;
const LINK_COLUMNS = ['id', 'short_code', 'app_id', 'created_at', 'updated_at', ...VALUE_COLUMNS];

/**
 * Stores links of the file in one transaction, with the progress of the import. A link in whose way another one
 * has come since the judgement is settled anew in the report.
 * @param auditOf what the audit log says once so many of them are stored.
 * @returns how many were stored.
 * @throws ImportLost
 */
export async function writeLinks(
  deps: WriteDeps,
  job: WriteJob,
  { accepted, share, auditOf }: { accepted: AcceptedLinks; share: Share; auditOf: (stored: number) => Write },
): Promise<number> {
  const { of, byPath } = job;
  const resettled: Resettled = new Map();
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const links = accepted.links.filter((link) => !resettled.has(link));
    const counts = {
      created: links.length,
      ...countVerdicts(resettled),
    };
    const progress = HALF + Math.floor(share.from * HALF);
    const state = { progress, written_parts: accepted.lastPart + 1 };
    const statements = [
      updateOwn(deps.db, of, state, counts),
      ...linkRows(deps, job, { links, share }),
      ...(await correctedReport(deps, of, resettled)),
      auditOf(links.length),
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
    for (const link of links) {
      const inTheWay = stored.get(link.key);
      if (inTheWay === undefined) continue;
      resettled.set(link, compare({ appId: of.appId, mode: job.mode }, { ...link, byPath }, inTheWay));
    }
  }
  throw new Error(`Failed to store links of an import in ${MAX_ATTEMPTS} attempts`);
}

function countVerdicts(verdicts: ReadonlyMap<unknown, Verdict>) {
  const all = [...verdicts.values()];
  const unchanged = all.filter(({ outcome }) => outcome === 'unchanged').length;
  return { unchanged, conflicts: all.length - unchanged };
}

/** In the order of codes, so that two imports that want the same ones do not wait for each other in a circle. */
function linkRows(
  { clock, ids }: WriteDeps,
  { of: { appId }, byPath }: WriteJob,
  { links, share }: { links: readonly Accepted[]; share: Share },
): NewRows[] {
  const now = isoTime(clock.nowMs());
  const codes = byPath ? makeCodes(links.length, share) : links.map(({ key }) => key);
  const rows = links.map((link, index) => ({ ...link, id: ids.next(), code: codes[index] ?? '' }));
  const inOrder = byPath ? rows : rows.toSorted((a, b) => (a.code < b.code ? -1 : 1));
  const rules = rows.flatMap(({ id, rules: some }) =>
    uniqueRules(some).map((rule) => toRowText([appId, id, rule.id, rule.rule])),
  );
  return [
    newRows(
      'short_codes',
      ['code', 'app_id', 'link_id'],
      inOrder.map(({ code, id }) => `${code}\t${appId}\t${id}`),
    ),
    newRows(
      'links',
      LINK_COLUMNS,
      rows.map(({ id, code, values }) => `${id}\t${code}\t${appId}\t${now}\t${now}\t${values}`),
    ),
    newRows(
      'link_texts',
      ['app_id', 'link_id', 'words'],
      rows.map(({ id, code, words }) => toRowText([appId, id, byPath ? code.toLowerCase() + words : words])),
    ),
    newRows(
      'link_tags',
      ['app_id', 'tag', 'link_id'],
      rows.flatMap(({ id, tags }) => tags.map((tag) => toRowText([appId, tag, id]))),
    ),
    newRows('link_rules', ['app_id', 'link_id', 'id', 'rule'], rules),
  ].filter(({ rows: count }) => count > 0);
}

function newRows(table: NewRows['table'], columns: readonly string[], lines: readonly string[]): NewRows {
  return { table, columns, text: lines.map((line) => `${line}\n`).join(''), rows: lines.length };
}

/** A rule that a link has twice is stored once. */
function uniqueRules<Rule extends { readonly id: string }>(rules: readonly Rule[]): Rule[] {
  return [...new Map(rules.map((rule) => [rule.id, rule])).values()];
}

async function correctedReport(
  { db }: Pick<Foundation, 'db'>,
  { appId, id }: Owned,
  resettled: Resettled,
): Promise<Write[]> {
  const writes: Write[] = [];
  for (const [number, some] of Map.groupBy(resettled, ([link]) => link.part)) {
    const [part] = await listParts(db, { appId, id }, { from: number, limit: 1 });
    if (part === undefined) throw new Error('a part of the report is missing');
    const verdicts = new Map(some.map(([{ index }, verdict]) => [index, verdict]));
    const corrected = (await unpackRows(part.content)).map((row, index) => {
      const verdict = verdicts.get(index);
      if (verdict === undefined) return row;
      return { ...row, ...verdict, ...(verdict.outcome === 'conflict' && { shortUrl: null }) };
    });
    writes.push(replacePart(db, { ...part, content: await packRows(corrected) }));
  }
  return writes;
}

/**
 * In order, so that parts of an import change neighbouring pages of the indexes: the first two characters tell the place in
 * the file, the others are random.
 */
function makeCodes(count: number, { from, to }: Share): string[] {
  const letters = CODE_ALPHABET.length;
  const codes = Array.from({ length: count }, (_, index) => {
    const place = Math.floor((from + ((to - from) * index) / count) * letters ** 2);
    const start = [Math.floor(place / letters), place % letters].map((letter) => CODE_ALPHABET[letter]);
    return start.join('') + makeCode().slice(start.length);
  });
  return codes.sort();
}
