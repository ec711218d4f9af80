import type { Actor } from '../auth/index.ts';
import type { Foundation } from '../foundation.ts';
import { idRange } from '../lib/ids.ts';
import { findCampaigns, findLinks } from './find-links.ts';
import { findMessages } from './find-messages.ts';
import { findEventOfApp, findRecords } from './find-records.ts';
import { findUser } from './find-user.ts';
import type { Found } from './found.ts';
import { MAX_RESULTS, type Result } from './schemas.ts';

export interface SearchDeps extends Pick<Foundation, 'db' | 'secrets'> {
  /** Resolves once all clicks of an app that this process acknowledged are stored. @throws AppError `clicks.behind`. */
  readonly clicksApplied: (appId: string) => Promise<void>;
}

/**
 * What an id, a user, a code or the beginning of a campaign leads to: what is the whole text first.
 * @throws AppError `clicks.behind`.
 */
export async function search(deps: SearchDeps, actor: Actor, text: string): Promise<Result[]> {
  const q = text.trim();
  if (q === '') return [];
  const { db } = deps;
  const range = idRange(q);
  if (range !== null) await deps.clicksApplied(actor.appId);
  const found = await Promise.all([
    findLinks(db, actor, q),
    findCampaigns(db, actor, q),
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
