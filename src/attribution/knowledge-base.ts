import { setImmediate as othersTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { listClicks } from '../clicks/index.ts';
import { MINUTE_MS } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import { isTrusted } from '../platform/remember.ts';
import { isNamed, type Method, type Trace } from './decide.ts';
import { toKnownInstall } from './lesson.ts';
import { type Knowledge, type Learning, learn, newKnowledge } from './matching/index.ts';
import { type InstallMark, type LessonRow, listInstallMarks, listLessons } from './queries.ts';
import { reportOfRow } from './row-signals.ts';

/** What each app's own installs teach the matching. */
export interface KnowledgeBase {
  /** What is known now: read from the newest live installs, again every ten minutes, and never waited for twice. */
  of(appId: string): Promise<Knowledge>;
}

const TRUST_MS = 10 * MINUTE_MS;
const MAX_APPS = 1_000;
const MAX_LESSONS = 2_000;
/** Whoever floods the service from an address does not displace what others taught: it is read past them, so far. */
const MAX_LESSONS_FROM_ADDRESS = 20;
const MAX_MARKS = 50_000;
/** So many are read, or learned from, at once: a few milliseconds, before others get their turn on the event loop. */
const MARKS_AT_ONCE = 200;
const LESSONS_AT_ONCE = 25;

/** Remembers the apps that were asked for last; who asks for another one waits until its installs are read. */
export function createKnowledgeBase(ctx: Ctx): KnowledgeBase {
  const known = new LRUCache<string, { knowledge: Knowledge; readAtMs: number }>({ max: MAX_APPS });
  const underWay = new Map<string, Promise<Knowledge>>();

  function read(appId: string): Promise<Knowledge> {
    const reading = readKnowledge(ctx, appId)
      .then((knowledge) => {
        known.set(appId, { knowledge, readAtMs: ctx.clock.nowMs() });
        return knowledge;
      })
      .finally(() => underWay.delete(appId));
    underWay.set(appId, reading);
    return reading;
  }

  function refresh(appId: string): void {
    if (underWay.has(appId)) return;
    read(appId).catch((error: unknown) =>
      ctx.log.warn({ err: error }, 'what installs teach the matching was not read'),
    );
  }

  return {
    async of(appId) {
      const entry = known.get(appId);
      if (entry === undefined) return await (underWay.get(appId) ?? read(appId));
      if (!isTrusted(entry.readAtMs, ctx.clock.nowMs(), TRUST_MS)) refresh(appId);
      return entry.knowledge;
    },
  };
}

async function readKnowledge(ctx: Ctx, appId: string): Promise<Knowledge> {
  const learning = newKnowledge();
  const installIds = await chooseLessons(ctx, appId);
  for (let start = 0; start < installIds.length; start += LESSONS_AT_ONCE) {
    const lessons = await listLessons(ctx.db, appId, installIds.slice(start, start + LESSONS_AT_ONCE));
    await learnFrom(ctx, learning, appId, lessons);
    await othersTurn();
  }
  const { population, calibration } = learning;
  return { population, calibration };
}

/** The newest live installs, so many from each address, the oldest of them first. */
async function chooseLessons({ db }: Ctx, appId: string): Promise<string[]> {
  const chosen: string[] = [];
  const fromAddress = new Map<string, number>();
  let olderThan: InstallMark | null = null;
  for (let seen = 0; seen < MAX_MARKS && chosen.length < MAX_LESSONS; seen += MARKS_AT_ONCE) {
    const marks = await listInstallMarks(db, appId, { olderThan, limit: MARKS_AT_ONCE });
    chosen.push(...marks.filter((mark) => isAmongFirst(mark, fromAddress)).map(({ id }) => id));
    olderThan = marks.at(-1) ?? null;
    if (marks.length < MARKS_AT_ONCE) break;
    await othersTurn();
  }
  return chosen.slice(0, MAX_LESSONS).reverse();
}

/** Counts what comes from an address. Test traffic is no example of people. */
function isAmongFirst({ sandbox, ip_hash }: InstallMark, fromAddress: Map<string, number>): boolean {
  if (sandbox === 1) return false;
  if (ip_hash === null) return true;
  const count = (fromAddress.get(ip_hash) ?? 0) + 1;
  fromAddress.set(ip_hash, count);
  return count <= MAX_LESSONS_FROM_ADDRESS;
}

async function learnFrom(
  ctx: Ctx,
  learning: Learning,
  appId: string,
  installs: readonly LessonRow[],
): Promise<void> {
  const named = installs.filter(({ attribution_method }) => isNamed(attribution_method as Method));
  const clickIds = named.flatMap(({ click_id }) => click_id ?? []);
  const clicks = new Map((await listClicks(ctx.db, appId, clickIds)).map((click) => [click.id, click]));
  for (const install of installs) {
    const known = {
      report: reportOfRow(install),
      address: install.ip_hash,
      installedAtMs: Date.parse(install.installed_at),
    };
    const decision = {
      method: install.attribution_method as Method,
      click: clicks.get(install.click_id ?? '') ?? null,
      trace: JSON.parse(install.trace) as Trace,
    };
    learn(learning, toKnownInstall(known, decision));
  }
}
