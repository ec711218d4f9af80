import { type AppDirectory, type HostDirectory, listOwnHosts, sharedHostsOf } from '../../apps/index.ts';
import { type Change, type ChangedBy, changeContinued, recordChange } from '../../audit/index.ts';
import { type Actor, authorOf } from '../../auth/index.ts';
import { isUnavailable, toFlag, type Write } from '../../db/index.ts';
import type { Foundation } from '../../foundation.ts';
import { isoTime } from '../../lib/clock.ts';
import type { LeadingApp } from '../circles/new-stop.ts';
import { shortLinkBaseOf } from '../link.ts';
import type { LinkDirectory } from '../look-up/link-directory.ts';
import { AcceptedFile } from './accepted-file.ts';
import { Circles } from './circles.ts';
import type { FileJudge } from './file-judge.ts';
import { WHOLE } from './import.ts';
import type { ImportFormat, ImportSource } from './imported-row.ts';
import { type JudgeJob, judgeFile } from './judge-file.ts';
import { failImport, type Owned, updateOwn } from './queries.ts';
import type { Tally } from './tally.ts';
import { ImportLost, writeLinks } from './write-links.ts';

export interface RunDeps extends Pick<Foundation, 'store' | 'db' | 'clock' | 'ids' | 'config' | 'log'> {
  readonly appDirectory: AppDirectory;
  readonly hostDirectory: HostDirectory;
  readonly linkDirectory: LinkDirectory;
  readonly judge: FileJudge;
}

export interface ReceivedFile {
  readonly path: string;
  readonly bytes: number;
  readonly source: ImportSource;
  readonly format: ImportFormat;
  /** Field to header, of a plain CSV file. */
  readonly columns: Readonly<Record<string, string>> | null;
}

export interface Run {
  readonly of: Owned;
  readonly actor: Actor;
  readonly file: ReceivedFile;
  readonly isDryRun: boolean;
  /** Called between parts: lets requests through, and throws to end the import. */
  readonly goOn: () => Promise<void>;
}

/** Thrown to end imports when the service stops. */
export class ImportStopped extends Error {
  override readonly name = 'ImportStopped';
}

const AGAIN = 'Import the same file again: links that are stored stay as they are, and the others follow.';
const STOPPED = `The service was stopped during the import. ${AGAIN}`;
export const ABANDONED = `The process that imported the file has ended. ${AGAIN}`;
/** For those who see the import; the audit log says which user or key. */
export function endedBy(by: ChangedBy): string {
  const who = typeof by === 'string' ? 'the operator' : 'keyId' in by ? 'an API key' : 'a user';
  return `The import was ended by ${who} before its end. Links that are stored stay; the report says which. The same file again adds the others.`;
}
const BROKEN = `The import failed; the log of the service says why. ${AGAIN}`;
const DATABASE_AWAY = `The database was not available. ${AGAIN}`;
const NOTHING_GOOD =
  'No row of the file could be imported. GET /v1/imports/{id}/rows says why; correct the file, and import it again.';

/** Judges a received file and, unless it is a dry run, stores its links. Never rejects. */
export async function runImport(deps: RunDeps, run: Run): Promise<void> {
  const accepted = new AcceptedFile(`${run.file.path}.accepted`);
  try {
    await judgeAndWrite(deps, run, accepted);
  } catch (error) {
    if (error instanceof ImportLost) return;
    if (!(error instanceof ImportStopped))
      deps.log.error({ err: error, appId: run.of.appId, importId: run.of.id }, 'An import failed');
    const text = error instanceof ImportStopped ? STOPPED : isUnavailable(error) ? DATABASE_AWAY : BROKEN;
    await end(deps, run.of, text);
  } finally {
    await accepted.close();
  }
}

/** Without the database, another call finds the import abandoned later. */
async function end({ db, clock, log }: RunDeps, of: Owned, error: string): Promise<void> {
  await failImport(db, of, { error, now: isoTime(clock.nowMs()) }).catch((cause: unknown) =>
    log.warn({ err: cause, importId: of.id }, 'Failed to end an import; it ends by itself in two minutes'),
  );
}

async function judgeAndWrite(deps: RunDeps, run: Run, accepted: AcceptedFile): Promise<void> {
  const { actor, of, file, isDryRun, goOn } = run;
  const app = await deps.appDirectory.get(of.appId);
  const base = shortLinkBaseOf(deps.config, app);
  const byPath = base.hasPaths;
  const job: JudgeJob = {
    ...{ of, base, byPath, isDryRun, mode: actor.mode, bytes: file.bytes },
  };
  const rules = {
    mode: actor.mode,
    app: leadingApp(app),
    ownHost: app.short_link_host,
    shortLinkHosts: await shortLinkHostsOf(deps),
    nowMs: deps.clock.nowMs(),
  };
  const circles = new Circles(deps, app, { byPath });
  const chunks = deps.judge.judge({ ...file, rules });
  const judged = { ...deps, circles, accepted, goOn };
  const { error, tally } = await judgeFile(judged, job, chunks);
  if (error !== null) return await end(deps, of, error);
  if (!isDryRun) await writeAll(deps, run, { job, accepted, tally });
  await complete(deps, of, tally);
}

/** What the thread needs of it. */
function leadingApp({ id, ios_destination, android_destination, fallback_url }: LeadingApp): LeadingApp {
  return { id, ios_destination, android_destination, fallback_url };
}

async function shortLinkHostsOf({ db, config }: RunDeps): Promise<string[]> {
  const own = await listOwnHosts(db);
  return [...new Set([...sharedHostsOf(config), ...own.map(({ short_link_host: host }) => host)])];
}

async function writeAll(
  deps: RunDeps,
  { actor, of, file, goOn }: Run,
  { job, accepted, tally }: { job: JudgeJob; accepted: AcceptedFile; tally: Tally },
): Promise<void> {
  const { created: total, unchanged, conflict: conflicts, failed } = tally.counts;
  const changeOf = (created: number): Change => ({
    appId: of.appId,
    action: 'links.imported',
    by: authorOf(actor),
    recordId: of.id,
    sandbox: toFlag(actor.mode === 'test'),
    about: { source: file.source, created, unchanged, conflicts, failed },
  });
  const entryId = await deps.db.transaction().execute((tx) => recordChange(tx, deps, changeOf(0)));
  let created = 0;
  const auditOf = (stored: number): Write =>
    changeContinued(deps.db, entryId ?? '', changeOf(created + stored));
  let seen = 0;
  for await (const some of accepted.read()) {
    const share = { from: seen / total, to: (seen + some.links.length) / total };
    created += await writeLinks(deps, job, { accepted: some, share, auditOf });
    seen += some.links.length;
    await goOn();
  }
}

async function complete({ store, db, clock }: RunDeps, of: Owned, tally: Tally): Promise<void> {
  const { created, unchanged } = tally.counts;
  const state = {
    ...{ status: 'completed', progress: WHOLE, completed_at: isoTime(clock.nowMs()) },
    error: created + unchanged === 0 ? NOTHING_GOOD : null,
  };
  if ((await store.commit([updateOwn(db, of, state)], of.appId)) !== null)
    throw new ImportLost('the import has ended');
}
