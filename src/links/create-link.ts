import type { Static } from 'typebox';
import type { AppDirectory } from '../apps/index.ts';
import type { Actor } from '../auth/index.ts';
import { onSomeNode, type Transaction } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { withIdempotency } from '../server/idempotency.ts';
import { warningsOf } from './choice/path-warnings.ts';
import type { LoopFinder } from './circles/loops.ts';
import { newStop } from './circles/new-stop.ts';
import { type LinkRow, shortLinkBaseOf } from './link.ts';
import type { LinkDirectory } from './look-up/link-directory.ts';
import { type CreateLinkInput, type Link, presentLink } from './schemas.ts';
import { CodeOutOfReach, makeCode, newLink, storeLinks } from './store-links.ts';

export type CreateDeps = Pick<Foundation, 'db' | 'clock' | 'ids' | 'config' | 'secrets'> & {
  readonly appDirectory: AppDirectory;
  readonly linkDirectory: LinkDirectory;
  readonly loops: LoopFinder;
};

/**
 * @param key for which a repeated request gets the first answer; null without one.
 * @throws AppError `idempotency.conflict`, and as `storeLink`.
 */
export async function createLink(
  deps: CreateDeps,
  { actor, input, key }: { actor: Actor; input: CreateLinkInput; key: string | null },
): Promise<Static<typeof Link>> {
  const { appId } = actor;
  const app = await deps.appDirectory.get(appId);
  // Not in the transaction, which would hold a connection while the loop is looked for.
  await deps.loops.refuse(newStop(app, input));
  const once = { appId, scope: `POST /v1/links ${actor.mode}`, key, body: input };
  const answer = await withReachableCode(deps, (code) =>
    withIdempotency(deps, once, async (tx) => {
      const link = await storeLink(tx, deps, { ...input, actor }, code);
      return {
        status: 201,
        body: { ...presentLink(shortLinkBaseOf(deps.config, app), link), ...warningsOf(input) },
      };
    }),
  );
  const link = answer.body as Static<typeof Link>;
  deps.linkDirectory.invalidate({ ...link, appId });
  return link;
}

/**
 * The nodes of a cluster share the codes, so that the node of a generated one may be away while the app's is not: then the
 * work is done again with a code of another node.
 */
export async function withReachableCode<T>(
  { db }: Pick<Foundation, 'db'>,
  work: (code: string) => Promise<T>,
): Promise<T> {
  const isAway = (error: unknown) => error instanceof CodeOutOfReach;
  return await onSomeNode(db, { table: 'short_codes', make: makeCode, isAway }, work);
}

/**
 * @param code of a link without a chosen one.
 * @throws AppError `link.code_taken`, `link.path_taken`, `request.invalid`, and as `storeLinks`.
 */
export async function storeLink(
  tx: Transaction,
  deps: Pick<Foundation, 'clock' | 'ids'>,
  { actor, ...input }: CreateLinkInput & { actor: Actor },
  code = makeCode(),
): Promise<LinkRow> {
  const [stored] = await storeLinks(tx, deps, { actor, code, links: [newLink(deps, actor, input)] });
  if (stored === undefined || stored instanceof AppError) throw stored;
  return stored;
}
