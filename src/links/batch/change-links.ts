import type { Actor } from '../../auth/index.ts';
import { isUniqueViolation } from '../../db/index.ts';
import { AppError } from '../../errors.ts';
import type { Foundation } from '../../foundation.ts';
import { compileCheck } from '../../server/validation.ts';
import {
  type ChangeDeps,
  deletionOf,
  editOf,
  type LinkEdit,
  leadsElsewhere,
  refuseLoop,
  storeEdits,
  type UpdateDeps,
} from '../change-link.ts';
import type { LinkRow } from '../link.ts';
import { rethrowPathTaken } from '../look-up/path-queries.ts';
import { readLinks } from '../queries.ts';
import { UpdateOfBatch, type UpdateOfBatchInput } from '../schemas.ts';
import { forAccepted, inParts, type Outcome, outcomeOf } from './batch.ts';

type BatchDeps = ChangeDeps & Pick<Foundation, 'log'>;

const check = compileCheck(UpdateOfBatch, 'link');

/**
 * Changes links, each as by a call of its own, in transactions of some.
 * @param items an AppError for each that the body parser refused.
 * @returns for each, in order, the link or why it was not changed.
 * @throws AppError `database.unavailable` if none was changed.
 */
export async function updateLinks(
  deps: BatchDeps & UpdateDeps,
  { actor, items }: { actor: Actor; items: readonly unknown[] },
): Promise<Outcome<LinkRow>[]> {
  const checked = items.map((item): Outcome<UpdateOfBatchInput> => {
    if (item instanceof AppError) return item;
    const message = check(item);
    return message === null ? (item as UpdateOfBatchInput) : new AppError('request.invalid', { message });
  });
  return await changeLinks(deps, actor, checked, {
    toEdit: (link, given, nowMs) => editOf({ actor, link, given, nowMs }),
    refuse: (edit) => refuseLoop(deps, edit),
    isAlone: (edit) => leadsElsewhere(deps, edit),
  });
}

/** As `updateLinks`; a code that comes twice is unknown the second time. */
export async function deleteLinks(
  deps: BatchDeps,
  { actor, shortCodes }: { actor: Actor; shortCodes: readonly string[] },
): Promise<Outcome<LinkRow>[]> {
  const items = shortCodes.map((shortCode) => ({ shortCode }));
  return await changeLinks(deps, actor, items, {
    toEdit: (link, _, nowMs) => deletionOf(link, nowMs),
    refuse: async () => {},
    isAlone: async () => false,
  });
}

interface Kind<Item> {
  /** @throws AppError. */
  readonly toEdit: (link: LinkRow, item: Item, nowMs: number) => LinkEdit;
  /** @throws AppError. */
  readonly refuse: (edit: LinkEdit) => Promise<void>;
  /** Whether the change may be refused for another one. */
  readonly isAlone: (edit: LinkEdit) => Promise<boolean>;
}

async function changeLinks<Item extends { readonly shortCode: string }>(
  deps: BatchDeps,
  actor: Actor,
  items: readonly Outcome<Item>[],
  kind: Kind<Item>,
): Promise<Outcome<LinkRow>[]> {
  const batch = deps.ids.next();

  async function run(part: readonly Item[]): Promise<Outcome<LinkRow>[]> {
    const edits = await prepare(part);
    const stored = await deps.db
      .transaction()
      .execute((tx) =>
        forAccepted(edits, (accepted) => storeEdits(tx, deps, { actor, edits: accepted, batch })),
      );
    for (const link of stored)
      if (!(link instanceof AppError))
        deps.linkDirectory.invalidate({ appId: actor.appId, id: link.id, shortCode: link.short_code });
    return stored;
  }

  /** Up to the second change of a link, and one that leads to a short link by itself. */
  async function prepare(part: readonly Item[]): Promise<Outcome<LinkEdit>[]> {
    const codes = part.map(({ shortCode }) => shortCode);
    // One time for all, so that links which get the same do so by one statement.
    const nowMs = deps.clock.nowMs();
    const links = await readLinks(deps.db, actor, codes);
    const edits: Outcome<LinkEdit>[] = [];
    for (const [place, item] of part.entries()) {
      if (codes.indexOf(item.shortCode) < place) break;
      const link = links.get(item.shortCode);
      const edit = await outcomeOf(() => {
        if (link === undefined) throw new AppError('link.not_found');
        return kind.toEdit(link, item, nowMs);
      });
      const isAlone = !(edit instanceof AppError) && (await kind.isAlone(edit));
      if (isAlone && place > 0) break;
      edits.push(
        edit instanceof AppError
          ? edit
          : await outcomeOf(async () => {
              await kind.refuse(edit);
              return edit;
            }),
      );
      if (isAlone) break;
    }
    return edits;
  }

  return await inParts<Item, LinkRow>(deps, items, async (part) => {
    try {
      return await run(part);
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      // Another call took a path at the same moment.
      const one = await outcomeOf(() => run(part.slice(0, 1)).catch(rethrowPathTaken));
      return one instanceof AppError ? [one] : one;
    }
  });
}
