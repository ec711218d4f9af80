import type { Static } from 'typebox';
import type { PathWarning } from '../schemas.ts';
import type { LinkRule } from './rules.ts';

interface Paths {
  readonly deepLinkPath?: string | undefined;
  readonly rules?: readonly LinkRule[] | null | undefined;
}

/** What is probably not meant in the paths that an app is to open. */
export function warningsOf({ deepLinkPath, rules }: Paths) {
  const warnings = [
    ...pathWarnings('deepLinkPath', deepLinkPath),
    ...(rules ?? []).flatMap(({ then }, place) =>
      pathWarnings(`rules/${place}/then/deepLinkPath`, then.deepLinkPath),
    ),
  ];
  return warnings.length === 0 ? {} : { warnings };
}

function pathWarnings(field: string, deepLinkPath: string | undefined): Static<typeof PathWarning>[] {
  const warnings: Static<typeof PathWarning>[] = [];
  if (deepLinkPath === undefined) return warnings;
  if (/^\s*https?:\/\//i.test(deepLinkPath))
    warnings.push({
      code: 'path.is_url',
      message: `${field} is a whole address, which the app gets as its path. Send the path alone, and the address as fallbackUrl.`,
    });
  if (/\s/.test(deepLinkPath))
    warnings.push({
      code: 'path.has_space',
      message: `${field} has spaces, which the app gets as they are. Remove them, or write them as %20.`,
    });
  return warnings;
}
