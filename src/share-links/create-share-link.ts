import { type AppDirectory, type AppLinksSetting, appLinksOf } from '../apps/index.ts';
import type { Actor } from '../auth/index.ts';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { findKnownInstall } from '../installs/index.ts';
import type { InFlight } from '../lib/in-flight.ts';
import {
  CodeOutOfReach,
  type LinkDirectory,
  type LinkRow,
  listLinksByCode,
  type NewAppLink,
  shortLinkBaseOf,
  shortUrlOf,
  storeAppLink,
} from '../links/index.ts';
import { checkContent, checkFields } from './check-content.ts';
import type { ShareLimits } from './daily-limits.ts';
import type { CreateShareLinkInput, ShareLinkAnswer } from './schemas.ts';
import { shareCodes } from './share-codes.ts';

export interface ShareLinkDeps extends Pick<Foundation, 'db' | 'clock' | 'ids' | 'config' | 'secrets'> {
  readonly appDirectory: AppDirectory;
  readonly linkDirectory: LinkDirectory;
  readonly recordings: InFlight;
  readonly shareLimits: ShareLimits;
}

interface Sending {
  readonly actor: Actor;
  readonly connectionAddress: string;
  readonly input: CreateShareLinkInput;
}

/** A link to make, and what makes it one and the same. */
interface Share {
  readonly actor: Actor;
  readonly connectionAddress: string;
  readonly setting: AppLinksSetting;
  readonly link: Omit<NewAppLink, 'shortCode'>;
  readonly codeOf: (count: number) => string;
}

interface Found {
  readonly link: LinkRow;
  readonly isNew: boolean;
}

/**
 * The link of an install with a content: one, whatever the number of calls and processes, and a new one if it was deleted
 * or has expired.
 * @throws AppError `app_links.off`, `install.not_found`, `install.erased`, `rate.limited`, `request.invalid`.
 */
export async function createShareLink(
  deps: ShareLinkDeps,
  sending: Sending,
): Promise<{ isNew: boolean; answer: ShareLinkAnswer }> {
  return await deps.recordings.during(async () => {
    checkFields(sending.input);
    const app = await deps.appDirectory.get(sending.actor.appId);
    const setting = appLinksOf(app);
    if (!setting?.enabled) throw new AppError('app_links.off');
    const share = await toShare(deps, sending, setting);
    const { link, isNew } = await findOrStore(deps, share);
    const { id, short_code: shortCode } = link;
    if (isNew) deps.linkDirectory.invalidate({ appId: app.id, id, shortCode });
    return { isNew, answer: { shortCode, shortUrl: shortUrlOf(shortLinkBaseOf(deps.config, app), link) } };
  });
}

async function toShare(
  deps: ShareLinkDeps,
  { actor, connectionAddress, input }: Sending,
  setting: AppLinksSetting,
): Promise<Share> {
  checkContent(input, setting);
  const install = await findKnownInstall(deps.db, deps, actor, input.installId);
  if (install === undefined) throw new AppError('install.not_found');
  const { installId: _, debugBuild, ...content } = input;
  const link = {
    ...withoutNulls(setting.defaults),
    ...withoutNulls(content),
    deepLinkPath: input.deepLinkPath,
    sandbox: actor.mode === 'test' || debugBuild === true || install.sandbox === 1,
    invitedBy: install.id,
  };
  const codeOf = shareCodes(deps, { appId: actor.appId, ...link });
  return { actor, connectionAddress, setting, link, codeOf };
}

function withoutNulls<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as T;
}

function isGivenOut(
  { clock }: Pick<Foundation, 'clock'>,
  { deleted_at, expires_at }: Pick<LinkRow, 'deleted_at' | 'expires_at'>,
): boolean {
  return deleted_at === null && (expires_at === null || Date.parse(expires_at) > clock.nowMs());
}

/** Codes that one query looks up: each deletion or end of the link takes one. */
const CODES_AT_ONCE = 8;

async function findOrStore(deps: ShareLinkDeps, share: Share): Promise<Found> {
  for (let first = 0; ; first += CODES_AT_ONCE) {
    const codes = Array.from({ length: CODES_AT_ONCE }, (_, index) => share.codeOf(first + index));
    const stored = await listLinksByCode(deps.db, share.actor.appId, codes);
    const present = stored.find((link) => isGivenOut(deps, link));
    if (present !== undefined) return { link: present, isNew: false };
    const used = new Set(stored.map(({ short_code }) => short_code));
    const found = await storeFirst(
      deps,
      share,
      codes.filter((code) => !used.has(code)),
    );
    if (found !== null) return found;
  }
}

/** With the first of the codes whose node is there. Null if all are taken. */
async function storeFirst(
  deps: ShareLinkDeps,
  share: Share,
  codes: readonly string[],
): Promise<Found | null> {
  if (codes.length === 0) return null;
  const { actor, connectionAddress: address, setting } = share;
  const taken = deps.shareLimits.take({ actor, setting, address });
  let isNew = false;
  let away: unknown = null;
  try {
    for (const code of codes) {
      const link = await store(deps, share, code).catch((error: unknown) => {
        if (!(error instanceof CodeOutOfReach)) throw error;
        away = error;
        return null;
      });
      isNew = link !== null;
      if (link !== null) return { link, isNew };
      // Another call made it in the meantime.
      const [other] = await listLinksByCode(deps.db, actor.appId, [code]);
      if (other !== undefined && isGivenOut(deps, other)) return { link: other, isNew: false };
    }
  } finally {
    if (!isNew) taken.giveBack();
  }
  if (away !== null) throw away;
  return null;
}

async function store(deps: ShareLinkDeps, share: Share, shortCode: string): Promise<LinkRow | null> {
  const { actor, setting, link } = share;
  return await deps.db.transaction().execute(async (tx) => {
    const stored = await storeAppLink(tx, deps, actor, { ...link, shortCode });
    const of = { appId: actor.appId, installId: link.invitedBy, max: setting.perInstallPerDay };
    if (stored !== null) await deps.shareLimits.takeOfInstall(tx, of);
    return stored;
  });
}
