import { customAlphabet } from 'nanoid';
import type { Static } from 'typebox';
import type { AppDirectory } from '../apps/index.ts';
import { namedFields, recordChange } from '../audit/index.ts';
import type { Actor } from '../auth/index.ts';
import { type Db, isNodeAway, onSomeNode, type Transaction, toFlag } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { isoTime } from '../lib/clock.ts';
import { withIdempotency } from '../server/idempotency.ts';
import { linkChange } from './change-link.ts';
import { requireOwnHost } from './check-path.ts';
import { columnsOf } from './columns.ts';
import { type LinkRow, shortLinkBaseOf } from './link.ts';
import type { LinkDirectory } from './link-directory.ts';
import type { LoopFinder } from './loops.ts';
import { newStop } from './new-stop.ts';
import { warningsOf } from './path-warnings.ts';
import { insertLink, insertShortCode, rethrowPathTaken } from './queries.ts';
import { CreateLink, type CreateLinkInput, type Link, presentLink } from './schemas.ts';
import { keepRules, replaceTags } from './tags-and-rules.ts';

/** Without characters that are easily confused: 0 O o, 1 I l. */
export const CODE_ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz';
export const makeCode = customAlphabet(CODE_ALPHABET, 8);
/** Collisions among 56^8 codes are so rare that several in a row are a bug. */
const MAX_ATTEMPTS = 5;
const WANTED_OUT_OF_REACH =
  'The part of the database that has this short code is away. Choose another shortCode, or try again after Retry-After seconds.';

/** The node of a short code is away, or does not respond. */
export class CodeOutOfReach extends AppError {}

type CreateDeps = Pick<Foundation, 'db' | 'clock' | 'ids' | 'config' | 'secrets'> & {
  readonly appDirectory: AppDirectory;
  readonly linkDirectory: LinkDirectory;
  readonly loops: LoopFinder;
};

/**
 * The nodes of a cluster share the codes, so that the node of a generated one may be away while the app's is not: then it
 * tries a code of another node.
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
  const isAway = (error: unknown) => error instanceof CodeOutOfReach;
  const answer = await onSomeNode(deps.db, { table: 'short_codes', make: makeCode, isAway }, (code) =>
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
 * @param code of a link without a chosen one.
 * @throws AppError `link.code_taken`, `request.invalid`, `database.unavailable` while the node of a chosen code is away.
 */
export async function storeLink(
  tx: Transaction,
  { clock, ids }: Pick<Foundation, 'clock' | 'ids'>,
  { actor, ...input }: CreateLinkInput & { actor: Actor },
  code = makeCode(),
): Promise<LinkRow> {
  const nowMs = clock.nowMs();
  const now = isoTime(nowMs);
  const id = ids.next();
  const columns = columnsOf(input, actor, nowMs);
  if (columns.path) await requireOwnHost(tx, actor.appId);
  const link = await insertLink(tx, {
    ...columns,
    app_id: actor.appId,
    id,
    short_code: await reserveCode(tx, { wanted: input.shortCode ?? null, code, appId: actor.appId, id }),
    deep_link_path: input.deepLinkPath,
    deep_link_params: columns.deep_link_params ?? '{}',
    metadata: columns.metadata ?? '{}',
    sandbox: columns.sandbox ?? toFlag(actor.mode === 'test'),
    tags: columns.tags ?? '[]',
    rules: columns.rules ?? '[]',
    pass_path: columns.pass_path ?? 0,
    gone_when_expired: columns.gone_when_expired ?? 0,
    created_at: now,
    updated_at: now,
  }).catch(rethrowPathTaken);
  const of = { appId: actor.appId, linkId: id };
  if (input.tags?.length) await replaceTags(tx, of, JSON.parse(link.tags));
  await keepRules(tx, of, input.rules ?? []);
  const fields = namedFields(CreateLink, input);
  await recordChange(tx, { clock, ids }, linkChange(actor, link, { action: 'link.created', fields }));
  return link;
}

async function reserveCode(
  db: Db,
  { wanted, code, appId, id }: { wanted: string | null; code: string; appId: string; id: string },
): Promise<string> {
  if (wanted !== null) {
    const isNew = await insertShortCode(db, wanted, appId, id).catch((error: unknown) => {
      throw isNodeAway(error)
        ? new AppError('database.unavailable', { message: WANTED_OUT_OF_REACH, cause: error })
        : error;
    });
    if (!isNew) throw new AppError('link.code_taken');
    return wanted;
  }
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const next = attempt === 0 ? code : makeCode();
    const isNew = await insertShortCode(db, next, appId, id).catch((error: unknown) => {
      throw isNodeAway(error) ? new CodeOutOfReach('database.unavailable', { cause: error }) : error;
    });
    if (isNew) return next;
  }
  throw new Error(`Failed to generate an unused short code in ${MAX_ATTEMPTS} attempts`);
}
