import { createHash } from 'node:crypto';
import type { Static } from 'typebox';
import type { Actor } from '../../auth/index.ts';
import { AppError } from '../../errors.ts';
import type { Foundation } from '../../foundation.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';
import { withIdempotency } from '../../server/idempotency.ts';
import { compileCheck } from '../../server/validation.ts';
import { warningsOf } from '../choice/path-warnings.ts';
import { newStop } from '../circles/new-stop.ts';
import { type CreateDeps, withReachableCode } from '../create-link.ts';
import { shortLinkBaseOf } from '../link.ts';
import { CreateLink, type CreateLinkInput, type Link, presentLink } from '../schemas.ts';
import { CodeOutOfReach, newLink, storeLinks } from '../store-links.ts';
import { forAccepted, inParts, type Outcome, outcomeOf } from './batch.ts';

type Result =
  | { readonly status: number; readonly link: Static<typeof Link> }
  | { readonly status: number; readonly code: string; readonly error: string };

const check = compileCheck(CreateLink, 'link');

/**
 * Makes links, each as by a call of its own, in transactions of some.
 * @param items an AppError for each that the body parser refused.
 * @param key for which a repeated request makes none of them twice; null without one.
 * @throws AppError `idempotency.conflict`; `database.unavailable` if none was made.
 */
export async function createLinks(
  deps: CreateDeps & Pick<Foundation, 'log'>,
  { actor, items, key }: { actor: Actor; items: readonly unknown[]; key: string | null },
): Promise<Result[]> {
  const app = await deps.appDirectory.get(actor.appId);
  const body = key === null ? null : createHash('sha256').update(canonicalJson(items)).digest('hex');
  const batch = deps.ids.next();
  const base = shortLinkBaseOf(deps.config, app);
  const checked = items.map((item): Outcome<CreateLinkInput> => {
    if (item instanceof AppError) return item;
    const message = check(item);
    return message === null ? (item as CreateLinkInput) : new AppError('request.invalid', { message });
  });

  /** Each part has a response of its own for the key, so that what a crash left can be sent again whole. */
  const store = async (part: readonly CreateLinkInput[], start: number, code?: string) => {
    const links = await Promise.all(
      part.map((input) =>
        outcomeOf(async () => {
          await deps.loops.refuse(newStop(app, input));
          return { ...newLink(deps, actor, input), input };
        }),
      ),
    );
    const once = { appId: actor.appId, scope: `POST /v1/links/batch ${actor.mode} ${start}`, key, body };
    const answer = await withIdempotency(deps, once, async (tx) => {
      const stored = await forAccepted(links, (accepted) =>
        storeLinks(tx, deps, { actor, links: accepted, batch, ...(code !== undefined && { code }) }),
      );
      return {
        status: 200,
        body: stored.map((link, place) =>
          link instanceof AppError
            ? toRefusal(link)
            : { status: 201, link: { ...presentLink(base, link), ...warningsOf(part[place] ?? {}) } },
        ),
      };
    });
    return answer.body as Result[];
  };

  const outcomes = await inParts<CreateLinkInput, Result>(deps, checked, async (part, start) => {
    const some = await beforeAlone(part, (input) => deps.loops.leadsToLinks(newStop(app, input)));
    try {
      if (some.length > 1) return await store(some, start);
    } catch (error) {
      if (!(error instanceof CodeOutOfReach)) throw error;
    }
    return await withReachableCode(deps, (code) => store(some.slice(0, 1), start, code));
  });
  const results = outcomes.map((outcome) => (outcome instanceof AppError ? toRefusal(outcome) : outcome));
  for (const result of results)
    if ('link' in result) deps.linkDirectory.invalidate({ ...result.link, appId: actor.appId });
  return results;
}

/** The items before the first whose check may depend on those before it, or that one. */
async function beforeAlone<Item>(
  part: readonly Item[],
  isAlone: (item: Item) => Promise<boolean>,
): Promise<readonly Item[]> {
  for (const [place, item] of part.entries())
    if (await isAlone(item)) return part.slice(0, Math.max(place, 1));
  return part;
}

export function toRefusal({ status, code, message }: AppError) {
  return { status, code, error: message };
}
