/** What a link is called in the console. */
import type { Link } from '@generated/types.gen.ts';
import { endOf } from './address-path.ts';

type Named = Pick<Link, 'shortCode' | 'shortUrl' | 'path'>;

/** Its path where that is its address: at a host of the app's own its code leads nowhere at the root. */
export function linkAddress(link: Named): string {
  return endOf(link).replace(/^\/l\//, '/');
}

export function linkName(link: Named & Pick<Link, 'title'>): string {
  return link.title ?? linkAddress(link);
}
