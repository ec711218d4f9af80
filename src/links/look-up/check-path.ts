import { findApp, isReservedPath } from '../../apps/index.ts';
import type { Transaction } from '../../db/index.ts';
import { AppError } from '../../errors.ts';

/** What the schema of `path` cannot express. @throws AppError `request.invalid`. */
export function checkPath(path: string | null | undefined): void {
  if (path === null || path === undefined) return;
  const segments = path.split('/');
  if (path === '') throw invalid('path must not be empty. Send null for a link without one.');
  if (segments.some((segment) => segment === '.' || segment === '..'))
    throw invalid('path must have no segment . or .., which browsers resolve. Send the path without it.');
  if (isReservedPath(path))
    throw invalid(
      `path must not begin with ${segments[0]}, which belongs to the service (docs/guide/links.md has the list). Choose another first segment.`,
    );
}

/**
 * Short codes that no new link has: the routes below `/v1/links` of the same name would take its calls. A test compares
 * the list with the routes.
 */
export const RESERVED_CODES: readonly string[] = ['batch', 'deletions'];

/** What the pattern of a short code cannot express; null for a code that a link may have. */
export function refusalOfCode(code: string): string | null {
  return RESERVED_CODES.includes(code)
    ? `shortCode must not be ${code}, since /v1/links/${code} is a call of the service. Choose another one.`
    : null;
}

/** Why the app's links have no paths; null if they have. */
export async function refusalOfPaths(tx: Transaction, appId: string): Promise<AppError | null> {
  const app = await findApp(tx, appId);
  if (app === undefined || app.short_link_host !== null) return null;
  return invalid(
    'path needs a host of the app’s own, since apps without one share theirs. Set shortLinkHost of the app first, or leave path out: the link then has its short code as address.',
  );
}

function invalid(message: string): AppError {
  return new AppError('request.invalid', { message });
}
