import { LRUCache } from 'lru-cache';
import { listClicks } from '../clicks/index.ts';
import { MINUTE_MS } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import { isNamed, type Method, type Trace } from './decide.ts';
import { toKnownInstall } from './lesson.ts';
import { type Knowledge, learn, newKnowledge } from './matching/index.ts';
import { type InstallRow, listNewestInstalls } from './queries.ts';
import { reportOfRow } from './row-signals.ts';

/** What each app's own installs teach the matching. */
export interface KnowledgeBase {
  /** What is known now: read from the newest installs, again every ten minutes, and never waited for twice. */
  of(appId: string): Promise<Knowledge>;
}

const TRUST_MS = 10 * MINUTE_MS;
const MAX_APPS = 1_000;
const INSTALLS_READ = 2_000;
/** So many are learned from at once, before others get their turn on the event loop. */
const CHUNK = 200;

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
      if (ctx.clock.nowMs() - entry.readAtMs > TRUST_MS) refresh(appId);
      return entry.knowledge;
    },
  };
}

async function readKnowledge(ctx: Ctx, appId: string): Promise<Knowledge> {
  const knowledge = newKnowledge();
  const installs = await listNewestInstalls(ctx.db, appId, INSTALLS_READ);
  for (let start = installs.length; start > 0; start -= CHUNK) {
    await learnFrom(ctx, knowledge, appId, installs.slice(Math.max(0, start - CHUNK), start).reverse());
    await new Promise(setImmediate);
  }
  return knowledge;
}

async function learnFrom(
  ctx: Ctx,
  knowledge: Knowledge,
  appId: string,
  installs: InstallRow[],
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
    learn(knowledge, toKnownInstall(known, decision));
  }
}
