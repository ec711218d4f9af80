import { customAlphabet } from 'nanoid';
import { namedFields, recordChanges } from '../audit/index.ts';
import type { Actor } from '../auth/index.ts';
import { isNodeAway, type Transaction, toFlag } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { isoTime } from '../lib/clock.ts';
import { columnsOf } from './columns.ts';
import type { LinkRow } from './link.ts';
import { linkChange } from './link-change.ts';
import { refusalOfCode, refusalOfPaths } from './look-up/check-path.ts';
import { deleteShortCodes, insertLinks, insertShortCodes } from './queries.ts';
import { CreateLink, type CreateLinkInput } from './schemas.ts';

/** Without characters that are easily confused: 0 O o, 1 I l. */
export const CODE_ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz';
export const makeCode = customAlphabet(CODE_ALPHABET, 8);
/** Collisions among 56^8 codes are so rare that several in a row are a bug. */
const MAX_ATTEMPTS = 5;
const WANTED_OUT_OF_REACH =
  'The part of the database that has this short code is away. Choose another shortCode, or try again after Retry-After seconds.';

/** The node of a short code is away, or does not respond. */
export class CodeOutOfReach extends AppError {}

/** A link that is checked and not stored. */
export interface NewLink {
  readonly row: Omit<LinkRow, 'short_code'>;
  /** Null for a generated one. */
  readonly wantedCode: string | null;
  /** The names of the given fields. */
  readonly fields: readonly string[];
}

/** @throws AppError `request.invalid`. */
export function newLink(
  { clock, ids }: Pick<Foundation, 'clock' | 'ids'>,
  actor: Actor,
  input: CreateLinkInput,
): NewLink {
  const { shortCode: wantedCode = null } = input;
  const message = wantedCode === null ? null : refusalOfCode(wantedCode);
  if (message !== null) throw new AppError('request.invalid', { message });
  const nowMs = clock.nowMs();
  const now = isoTime(nowMs);
  const columns = columnsOf(input, actor, nowMs);
  const given = Object.fromEntries(
    Object.entries(columns).filter(([, value]) => value !== undefined),
  ) as Partial<LinkRow>;
  const row = {
    ...UNSET_COLUMNS,
    ...{ app_id: actor.appId, id: ids.next(), deep_link_path: input.deepLinkPath },
    ...{ sandbox: toFlag(actor.mode === 'test'), created_at: now, updated_at: now },
    ...given,
  };
  return { row, wantedCode, fields: namedFields(CreateLink, input) };
}

/** Of a link without any of these. */
export const UNSET_COLUMNS = {
  deep_link_params: '{}',
  metadata: '{}',
  campaign_id: null,
  ios_destination: null,
  android_destination: null,
  fallback_url: null,
  og_title: null,
  og_description: null,
  og_image: null,
  landing_page: null,
  expires_at: null,
  deleted_at: null,
  title: null,
  tags: '[]',
  path: null,
  pass_path: 0,
  rules: '[]',
  pass_query: null,
  expired_url: null,
  gone_when_expired: 0,
  min_app_version: null,
  imported_clicks: null,
  invited_by: null,
} as const satisfies Partial<LinkRow>;

/**
 * Stores links with their entries in the audit log. One that cannot be stored spoils no other.
 * @param code of the first link, if it has no chosen one.
 * @param batch of a call with several links, for the audit log.
 * @returns for each link, in order, its row, or AppError `link.code_taken`, `link.path_taken` or `request.invalid`.
 * @throws AppError `database.unavailable` while the node of a chosen code is away, `CodeOutOfReach` while that of a generated one is.
 */
export async function storeLinks(
  tx: Transaction,
  deps: Pick<Foundation, 'clock' | 'ids'>,
  { actor, links, code, batch }: { actor: Actor; links: readonly NewLink[]; code?: string; batch?: string },
): Promise<(LinkRow | AppError)[]> {
  const withoutHost = links.some(({ row }) => row.path !== null)
    ? await refusalOfPaths(tx, actor.appId)
    : null;
  const accepted = withoutHost === null ? links : links.filter(({ row }) => row.path === null);
  const codes = await reserveCodes(tx, actor.appId, accepted, code);
  const rows = accepted.flatMap(({ row }) => {
    const short_code = codes.get(row.id);
    return short_code === undefined ? [] : [{ ...row, short_code }];
  });
  const stored = new Map((await insertLinks(tx, rows)).map((link) => [link.id, link]));
  await deleteShortCodes(
    tx,
    rows.filter(({ id }) => !stored.has(id)).map(({ short_code }) => short_code),
  );
  const changes = links.flatMap(({ row, fields }) => {
    const link = stored.get(row.id);
    return link === undefined ? [] : [linkChange(actor, link, { action: 'link.created', fields }, batch)];
  });
  await recordChanges(tx, deps, changes);
  return links.map(
    ({ row: { id, path } }) =>
      stored.get(id) ??
      (path === null ? null : withoutHost) ??
      new AppError(codes.has(id) ? 'link.path_taken' : 'link.code_taken'),
  );
}

/** @returns codes by the id of the link, without links whose chosen code is taken. */
async function reserveCodes(
  tx: Transaction,
  appId: string,
  links: readonly NewLink[],
  code = makeCode(),
): Promise<ReadonlyMap<string, string>> {
  const codes = new Map<string, string>();
  const wanted = new Map<string, string>();
  // Of links with the same code the first has it.
  for (const { row, wantedCode } of links)
    if (wantedCode !== null && !wanted.has(wantedCode)) wanted.set(wantedCode, row.id);
  const reserve = async (some: ReadonlyMap<string, string>) => {
    if (some.size === 0) return;
    for (const free of await insertShortCodes(tx, appId, some)) codes.set(some.get(free) ?? '', free);
  };
  await reserve(wanted).catch((error: unknown) => {
    throw isNodeAway(error)
      ? new AppError('database.unavailable', { message: WANTED_OUT_OF_REACH, cause: error })
      : error;
  });
  for (let attempt = 0; ; attempt++) {
    const without = links.filter(({ row, wantedCode }) => wantedCode === null && !codes.has(row.id));
    if (without.length === 0) return codes;
    if (attempt === MAX_ATTEMPTS)
      throw new Error(`Failed to generate an unused short code in ${MAX_ATTEMPTS} attempts`);
    const made = new Map(
      without.map(({ row }, place) => [attempt + place === 0 ? code : makeCode(), row.id] as const),
    );
    await reserve(made).catch((error: unknown) => {
      throw isNodeAway(error) ? new CodeOutOfReach('database.unavailable', { cause: error }) : error;
    });
  }
}
