import type { AppRow } from '../../apps/index.ts';
import { AppError } from '../../errors.ts';
import type { ResolvedLink } from '../link.ts';
import type { LinkDirectory } from '../link-directory.ts';
import { createLoopFinder } from '../loops.ts';
import { type Candidate, VALUE_COLUMNS } from './import.ts';

/** Each is looked up in turn, and held until the end. */
const MAX_LEADING_HOME = 10_000;

type LoopDeps = Parameters<typeof createLoopFinder>[0];

/** Finds links of a file that lead back to themselves, also over other links of the file. */
export class Circles {
  readonly #app: AppRow;
  readonly #byPath: boolean;
  readonly #added = new Map<string, ResolvedLink>();
  readonly #loops: ReturnType<typeof createLoopFinder>;

  constructor({ linkDirectory, ...deps }: LoopDeps, app: AppRow, { byPath }: { byPath: boolean }) {
    this.#app = app;
    this.#byPath = byPath;
    const added = this.#added;
    const withAdded: LinkDirectory = {
      ...linkDirectory,
      resolve: async (code) => added.get(code) ?? (await linkDirectory.resolve(code)),
    };
    this.#loops = createLoopFinder({ ...deps, linkDirectory: withAdded });
  }

  /** @returns why the link cannot be stored; null for one that may. */
  async refusalOf(candidate: Candidate): Promise<string | null> {
    if (this.#added.size >= MAX_LEADING_HOME)
      return `More than ${MAX_LEADING_HOME.toLocaleString('en-US')} links of the file lead to short links of this service. Import these rows apart.`;
    const stop = this.#stopOf(candidate);
    try {
      await this.#loops.refuse(stop);
    } catch (error) {
      if (error instanceof AppError && error.status < 500) return error.message;
      throw error;
    }
    const { mayExpire, ...resolved } = stop;
    this.#added.set(candidate.key, {
      ...resolved,
      expiresAtMs: mayExpire ? 0 : null,
    } as unknown as ResolvedLink);
    return null;
  }

  #stopOf({ key, values }: Candidate) {
    const all = JSON.parse(`[${values}]`) as (string | null)[];
    const given = (column: (typeof VALUE_COLUMNS)[number]) => all[VALUE_COLUMNS.indexOf(column)] ?? null;
    return {
      appId: this.#app.id,
      shortCode: this.#byPath ? null : key,
      path: this.#byPath ? key : null,
      iosDestination: given('ios_destination') ?? this.#app.ios_destination,
      androidDestination: given('android_destination') ?? this.#app.android_destination,
      fallbackUrl: given('fallback_url') ?? this.#app.fallback_url,
      mayExpire: given('expires_at') !== null,
    };
  }
}
