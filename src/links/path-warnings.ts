import type { Static } from 'typebox';
import type { PathWarning } from './schemas.ts';

/** What is probably not meant in a path that an app is to open. */
export function warningsOf({ deepLinkPath }: { deepLinkPath?: string | undefined }) {
  const warnings = pathWarnings(deepLinkPath);
  return warnings.length === 0 ? {} : { warnings };
}

function pathWarnings(deepLinkPath: string | undefined): Static<typeof PathWarning>[] {
  const warnings: Static<typeof PathWarning>[] = [];
  if (deepLinkPath === undefined) return warnings;
  if (/^\s*https?:\/\//i.test(deepLinkPath))
    warnings.push({
      code: 'path.is_url',
      message:
        'deepLinkPath is a whole address, which the app gets as its path. Send the path alone, and the address as fallbackUrl.',
    });
  if (/\s/.test(deepLinkPath))
    warnings.push({
      code: 'path.has_space',
      message: 'deepLinkPath has spaces, which the app gets as they are. Remove them, or write them as %20.',
    });
  return warnings;
}
