import type { AppDirectory } from '../apps/index.ts';
import type { Actor } from '../auth/index.ts';
import type { Foundation } from '../foundation.ts';
import { idRange } from '../lib/ids.ts';
import { findCampaigns, findLinks, findTagsOfLinks } from './find-links.ts';
import { findMessages } from './find-messages.ts';
import { findEventOfApp, findRecords } from './find-records.ts';
import { findUser } from './find-user.ts';
import type { Found } from './found.ts';
import { MAX_RESULTS, type Result } from './schemas.ts';

export interface SearchDeps extends Pick<Foundation, 'db' | 'secrets'> {
  readonly appDirectory: AppDirectory;
  /** Resolves once all clicks of an app that this process acknowledged are stored. @throws AppError `clicks.behind`. */
  readonly clicksApplied: (appId: string) => Promise<void>;
}

/**
 * What an id, a user, a code, a title or the beginning of a campaign or tag leads to: what is the whole text first.
 * @throws AppError `clicks.behind`.
 */
export async function search(deps: SearchDeps, actor: Actor, text: string): Promise<Result[]> {
  const q = text.trim();
  if (q === '') return [];
  const { db } = deps;
  const range = idRange(q);
  if (range !== null) await deps.clicksApplied(actor.appId);
  const { short_link_host: ownHost } = await deps.appDirectory.get(actor.appId);
  const found = await Promise.all([
    findLinks(db, actor, { text: q, ownHost }),
    findCampaigns(db, actor, q),
    findTagsOfLinks(db, actor, q),
    findUser(db, actor, q),
    findEventOfApp(deps, actor, q),
    range === null ? [] : findRecords(db, actor, range),
    range === null ? [] : findMessages(db, actor, range),
  ]);
  return firstOf(found.flat());
}

function firstOf(found: readonly Found[]): Result[] {
  const results = new Map<string, Result>();
  for (const { result } of found.toSorted((a, b) => Number(b.isWhole) - Number(a.isWhole)))
    results.set(`${result.type} ${result.id}`, results.get(`${result.type} ${result.id}`) ?? result);
  return [...results.values()].slice(0, MAX_RESULTS);
}
