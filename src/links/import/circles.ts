import { AppError } from '../../errors.ts';
import type { LoopDeps } from '../circles/loop-places.ts';
import { createLoopFinder, type LoopFinder } from '../circles/loops.ts';
import { type LeadingApp, newStop } from '../circles/new-stop.ts';
import type { ResolvedLink } from '../link.ts';
import type { LinkDirectory } from '../look-up/link-directory.ts';
import type { Candidate } from './import.ts';

/** Each is looked up in turn, and held until the end. */
const MAX_LEADING_HOME = 100_000;

/** Finds links of a file that lead back to themselves, also over earlier links of the file. */
export class Circles {
  readonly #app: LeadingApp;
  readonly #byPath: boolean;
  readonly #added = new Map<string, ResolvedLink>();
  readonly #loops: LoopFinder;

  constructor({ linkDirectory, ...deps }: LoopDeps, app: LeadingApp, { byPath }: { byPath: boolean }) {
    this.#app = app;
    this.#byPath = byPath;
    const added = this.#added;
    const withAdded: LinkDirectory = {
      ...linkDirectory,
      resolve: async (code) => added.get(code) ?? (await linkDirectory.resolve(code)),
      async resolvePath(appId, path) {
        const link = appId === app.id ? added.get(path) : undefined;
        return link === undefined ? await linkDirectory.resolvePath(appId, path) : { link, rest: null };
      },
    };
    this.#loops = createLoopFinder({ ...deps, linkDirectory: withAdded });
  }

  /** @returns why the link cannot be stored; null for one that may. */
  async refusalOf({ key, leadsHome }: Candidate): Promise<string | null> {
    if (leadsHome === null) return null;
    if (this.#added.size >= MAX_LEADING_HOME)
      return `More than ${MAX_LEADING_HOME.toLocaleString('en-US')} links of the file lead to short links of this service. Import these rows apart.`;
    const { input } = leadsHome;
    const stop = newStop(this.#app, this.#byPath ? input : { ...input, shortCode: key });
    try {
      await this.#loops.refuse(stop);
    } catch (error) {
      if (error instanceof AppError && error.status < 500) return error.message;
      throw error;
    }
    // What the search reads of a link. Its code is not made yet, and only has to be its own.
    const link = { ...stop, id: key, shortCode: key, expiresAtMs: stop.mayExpire ? 0 : null };
    this.#added.set(key, link as unknown as ResolvedLink);
    return null;
  }
}
