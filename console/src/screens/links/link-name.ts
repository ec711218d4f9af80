/** What a link is called in the console. */
import type { Link } from '@generated/types.gen.ts';

type Named = Pick<Link, 'shortCode' | 'shortUrl' | 'path'>;

/** Its path where that is its address: at a host of the app's own its code leads nowhere at the root. */
export function linkAddress({ shortCode, shortUrl, path }: Named): string {
  return path !== null && shortUrl.endsWith(`/${path}`) ? `/${path}` : `/${shortCode}`;
}

export function linkName(link: Named & Pick<Link, 'title'>): string {
  return link.title ?? linkAddress(link);
}
