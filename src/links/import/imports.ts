import { mkdir, readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { recordChange } from '../../audit/index.ts';
import { type Actor, authorOf } from '../../auth/index.ts';
import { toFlag } from '../../db/index.ts';
import { AppError } from '../../errors.ts';
import { isoTime, MINUTE_MS, SECOND_MS } from '../../lib/clock.ts';
import { freeBeyondReserve } from '../../lib/free-space.ts';
import { isUuid } from '../../lib/ids.ts';
import { type Loop, startLoop } from '../../lib/loop.ts';
import { createTurns } from '../../lib/turns.ts';
import { FileJudge } from './file-judge.ts';
import { giverOfWay } from './give-way.ts';
import { MAX_IMPORT_BYTES } from './import.ts';
import {
  failImport,
  findImport,
  hasRunning,
  type ImportRow,
  insertImport,
  listAbandoned,
  listImports,
  type Owned,
  updateOwn,
} from './queries.ts';
import { receiveFile } from './receive-file.ts';
import {
  ABANDONED,
  endedBy,
  ImportStopped,
  type ReceivedFile,
  type Run,
  type RunDeps,
  runImport,
} from './run-import.ts';

/** Without a sign of life for so long, an import counts as ended. */
const ALIVE_MS = 2 * MINUTE_MS;
const ALIVE_EVERY_MS = 30 * SECOND_MS;
/** In a process; further ones wait, each with its file on disk. */
const MAX_RUNNING = 3;
const MAX_HELD = 20;
/** The file, and its links while they wait to be stored. */
const BYTES_ON_DISK = 4;
const FOLDER = 'imports';

export interface Upload extends Omit<ReceivedFile, 'path' | 'bytes'> {
  readonly body: Readable;
  /** Its length, if the client said it; else 0. */
  readonly announced: number;
  readonly isDryRun: boolean;
  /** The server, whose requests go before the import. */
  readonly server: { readonly requests: number };
  /** After the last byte. @throws AppError if the caller may not import any more. */
  readonly checkAgain: () => Promise<void>;
}

type Start = Omit<Run, 'of' | 'goOn'> & Pick<Upload, 'server'> & { readonly id: string };
type ImportsDeps = Omit<RunDeps, 'judge'>;

/** Receives files and imports them, one at a time for each app, in the order of arrival. */
export class Imports {
  readonly #deps: RunDeps;
  readonly #folder: string;
  /** Of this process, so that others can tell imports of ended ones. */
  readonly #owner: string;
  readonly #receiving = new Set<string>();
  readonly #held = new Map<string, { readonly of: Owned; readonly done: Promise<void> }>();
  readonly #inTurn = createTurns(MAX_RUNNING);
  readonly #alive: Loop;
  #isStopping = false;

  private constructor(deps: RunDeps) {
    this.#deps = deps;
    this.#folder = resolve(deps.config.dataDir, FOLDER);
    this.#owner = deps.ids.next();
    this.#alive = startLoop('imports', ALIVE_EVERY_MS, deps.log, () => this.#stayAlive());
  }

  /** Removes files of an earlier process, and ends its imports. */
  static async open(deps: ImportsDeps): Promise<Imports> {
    const imports = new Imports({ ...deps, judge: new FileJudge() });
    await removeFiles(imports.#folder);
    await imports.#endAbandoned(null);
    return imports;
  }

  /** @throws AppError `import.running`, `server.busy`, `request.too_large`, and what `checkAgain` throws. */
  async accept(actor: Actor, upload: Upload): Promise<ImportRow> {
    const { appId } = actor;
    if (this.#receiving.has(appId)) throw new AppError('import.running');
    this.#receiving.add(appId);
    const id = this.#deps.ids.next();
    const path = join(this.#folder, id);
    try {
      await this.#assertRoom(appId, upload.announced);
      const bytes = await receiveFile(upload.body, { path, announced: upload.announced });
      await upload.checkAgain();
      const { source, format, columns, isDryRun, server } = upload;
      const file = { path, bytes, source, format, columns };
      return await this.#start({ actor, id, file, isDryRun, server });
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    } finally {
      this.#receiving.delete(appId);
    }
  }

  /** @returns undefined for an unknown import, another app's, and with a test key for a live one. */
  async find(actor: Actor, id: string): Promise<ImportRow | undefined> {
    await this.#endAbandoned(actor.appId);
    return await findImport(this.#deps.db, actor, id);
  }

  async list(actor: Actor, page: { before: string | null; limit: number }): Promise<ImportRow[]> {
    await this.#endAbandoned(actor.appId);
    return await listImports(this.#deps.db, actor, page);
  }

  /** Links that are stored stay. The process that runs the import finds out at its next part. @throws AppError `import.ended`. */
  async end(actor: Actor, { app_id: appId, id, owner, source, sandbox }: ImportRow): Promise<void> {
    const { db, clock } = this.#deps;
    const now = isoTime(clock.nowMs());
    const by = authorOf(actor);
    await db.transaction().execute(async (tx) => {
      const isEnded = await failImport(tx, { appId, id, owner }, { error: endedBy(by), now });
      if (!isEnded) throw new AppError('import.ended');
      const change = { appId, action: 'import.ended', by, recordId: id, sandbox, about: { source } } as const;
      await recordChange(tx, this.#deps, change);
    });
  }

  /** Running imports end after the part that they are at. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all([this.#alive.stop(), ...Array.from(this.#held.values(), ({ done }) => done)]);
    await this.#deps.judge.stop();
  }

  async #assertRoom(appId: string, announced: number): Promise<void> {
    await this.#endAbandoned(appId);
    if (await hasRunning(this.#deps.db, appId)) throw new AppError('import.running');
    if (this.#isStopping || this.#held.size + this.#receiving.size > MAX_HELD)
      throw new AppError('server.busy', {
        message: `${MAX_HELD} imports are running or waiting. Try again after Retry-After seconds.`,
        retryAfterSeconds: 60,
      });
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const bytes = Math.min(announced || MAX_IMPORT_BYTES, MAX_IMPORT_BYTES) * BYTES_ON_DISK;
    if ((await freeBeyondReserve(this.#folder)) < bytes)
      throw new AppError('server.busy', {
        message:
          'The disk of the service is nearly full. Ask its operator to make room in DATA_DIR, and import again.',
      });
  }

  async #start({ id, server, ...run }: Start): Promise<ImportRow> {
    const { actor, file, isDryRun } = run;
    const { db, clock } = this.#deps;
    const { appId } = actor;
    const nowMs = clock.nowMs();
    const isNew = await insertImport(db, {
      ...{ app_id: appId, id, source: file.source, owner: this.#owner },
      ...{ dry_run: toFlag(isDryRun), sandbox: toFlag(actor.mode === 'test') },
      ...{ alive_until: isoTime(nowMs + ALIVE_MS), created_at: isoTime(nowMs) },
    });
    if (!isNew) throw new AppError('import.running');
    const of = { appId, id, owner: this.#owner };
    const done = this.#inTurn('all', () => this.#run({ ...run, of }, server)).finally(() =>
      this.#held.delete(id),
    );
    this.#held.set(id, { of, done });
    const row = await findImport(db, actor, id);
    if (row === undefined) throw new AppError('import.not_found');
    return row;
  }

  async #run(run: Omit<Run, 'goOn'>, server: Upload['server']): Promise<void> {
    const giveWay = giverOfWay(server);
    const goOn = async () => {
      if (this.#isStopping) throw new ImportStopped();
      await giveWay();
    };
    await runImport(this.#deps, { ...run, goOn });
    const { path: received } = run.file;
    for (const path of [received, `${received}.accepted`]) await rm(path, { force: true });
  }

  async #stayAlive(): Promise<void> {
    const { store, db, clock } = this.#deps;
    for (const { of } of this.#held.values())
      await store.commit([updateOwn(db, of, { alive_until: isoTime(clock.nowMs() + ALIVE_MS) })], of.appId);
  }

  /** @param appId null for all apps */
  async #endAbandoned(appId: string | null): Promise<void> {
    const { db, clock } = this.#deps;
    const now = isoTime(clock.nowMs());
    for (const of of await listAbandoned(db, { appId, owner: this.#owner, now }))
      await failImport(db, of, { error: ABANDONED, now });
  }
}

/** Not the folder: it may be a link or a volume of its own, which has other files, too. */
async function removeFiles(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  for (const name of names)
    if (isUuid(name.split('.', 1)[0] ?? '')) await rm(join(folder, name), { force: true });
}
