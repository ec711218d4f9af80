import { insertRows } from '../../db/index.ts';
import type { Foundation } from '../../foundation.ts';
import { monotonicMs, SECOND_MS } from '../../lib/clock.ts';
import { type ShortLinkBase, shortUrlOf } from '../link.ts';
import type { Accepted, AcceptedFile } from './accepted-file.ts';
import type { Circles } from './circles.ts';
import { compare, findInTheWay } from './compare-links.ts';
import { type Candidate, HALF, isSettled, type JudgedRow, type ReportRow, WHOLE } from './import.ts';
import type { JudgedChunk } from './judge-thread.ts';
import { type ImportPart, updateOwn } from './queries.ts';
import { packRows } from './report.ts';
import { Tally } from './tally.ts';
import { ImportLost, type WriteJob } from './write-links.ts';

interface JudgeDeps extends Pick<Foundation, 'store' | 'db'> {
  readonly circles: Circles;
  readonly accepted: AcceptedFile;
  /** Lets requests through, and throws to end the import. */
  readonly goOn: () => Promise<void>;
}

export interface JudgeJob extends WriteJob {
  readonly base: ShortLinkBase;
  readonly isDryRun: boolean;
  readonly bytes: number;
}

const PARTS_AT_ONCE = 8;
const STORE_EVERY_MS = SECOND_MS;

/**
 * Judges all rows and stores the report; keeps the links to store in `accepted`.
 * @returns why the file cannot be read, null if it can; and the sums.
 * @throws ImportLost
 */
export async function judgeFile(
  deps: JudgeDeps,
  job: JudgeJob,
  chunks: AsyncIterable<JudgedChunk>,
): Promise<{ error: string | null; tally: Tally }> {
  const tally = new Tally();
  const { appId, id } = job.of;
  let parts: ImportPart[] = [];
  let number = 0;
  let storedMs = monotonicMs();
  for await (const { rows, readBytes, isEnd, error, columns } of chunks) {
    const { report, links } = await judgeAgainstLinks(deps, job, rows);
    for (const row of report) tally.add(row);
    if (!job.isDryRun) await deps.accepted.append({ number, links });
    parts.push({ app_id: appId, import_id: id, number, content: await packRows(report) });
    number += 1;
    if (isEnd || parts.length >= PARTS_AT_ONCE || monotonicMs() - storedMs >= STORE_EVERY_MS) {
      const share = Math.min(readBytes / Math.max(job.bytes, 1), 1);
      const state = {
        ...stateOf(tally, job.isDryRun),
        columns: JSON.stringify(columns),
        progress: Math.floor(share * (job.isDryRun ? WHOLE : HALF)),
      };
      const statements = [
        updateOwn(deps.db, job.of, state),
        ...(await insertRows(deps.db, 'import_parts', parts)),
      ];
      if ((await deps.store.commit(statements, appId)) !== null) throw new ImportLost('the import has ended');
      parts = [];
      storedMs = monotonicMs();
    }
    if (error !== null) return { error, tally };
    await deps.goOn();
  }
  return { error: null, tally };
}

function stateOf(tally: Tally, isDryRun: boolean) {
  const { created, unchanged, conflict, failed } = tally.counts;
  return {
    judged_rows: tally.rows,
    ...{ unchanged, conflicts: conflict, failed },
    ...(isDryRun && { created }),
    ...tally.texts(),
  };
}

async function judgeAgainstLinks(
  deps: JudgeDeps,
  job: JudgeJob,
  rows: readonly JudgedRow[],
): Promise<{ report: ReportRow[]; links: Accepted[] }> {
  const { byPath, of, mode } = job;
  const keys = rows.flatMap((row) => (isSettled(row) ? [] : [row.key]));
  const stored = await findInTheWay(deps.db, { appId: of.appId, byPath, keys });
  const links: Accepted[] = [];
  const report: ReportRow[] = [];
  for (const [index, row] of rows.entries()) {
    const { line, oldAddress, notes } = row;
    const common = { line, oldAddress, notes };
    if (isSettled(row)) {
      const shortUrl = row.outcome === 'unchanged' ? addressOf(job, row.key ?? '') : null;
      const raw = row.outcome === 'failed' ? { raw: row.raw ?? {} } : {};
      report.push({ ...common, outcome: row.outcome, shortUrl, reason: row.reason, ...raw });
      continue;
    }
    const inTheWay = stored.get(row.key);
    if (inTheWay !== undefined) {
      const verdict = compare({ appId: of.appId, mode }, { values: row.values, byPath }, inTheWay);
      const shortUrl = verdict.outcome === 'unchanged' ? addressOf(job, row.key) : null;
      report.push({ ...common, ...verdict, shortUrl });
      continue;
    }
    const refusal = await deps.circles.refusalOf(row);
    if (refusal === null) links.push(toAccepted(row, index));
    report.push(
      refusal === null
        ? { ...common, outcome: 'created', shortUrl: addressOf(job, row.key), reason: null }
        : { ...common, outcome: 'failed', shortUrl: null, reason: refusal, raw: row.leadsHome?.raw ?? {} },
    );
  }
  return { report, links };
}

function toAccepted({ key, values, words, tags, rules }: Candidate, index: number): Accepted {
  return { key, values, words, tags, rules, index };
}

function addressOf({ base, byPath }: JudgeJob, key: string): string {
  return shortUrlOf(base, byPath ? { short_code: '', path: key } : { short_code: key, path: null });
}
