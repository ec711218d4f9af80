import type { Link } from '@generated/types.gen.ts';
import { plural } from '../../formats.ts';
import { linkName } from './link-name.ts';

const SHOWN = 5;

/** The first of many links, each with a text. */
export function Some({
  links,
  textOf,
}: {
  links: readonly Link[];
  textOf: (link: Link, place: number) => string;
}) {
  return (
    <ul className="max-h-52 overflow-y-auto [overflow-wrap:anywhere]">
      {links.slice(0, SHOWN).map((link, place) => (
        <li key={link.id} className="py-0.5">
          <bdi className="font-semibold">{linkName(link)}</bdi>{' '}
          <bdi className="text-ink-2">{textOf(link, place)}</bdi>
        </li>
      ))}
      {links.length > SHOWN && <li className="meta">and {plural(links.length - SHOWN, 'other')}</li>}
    </ul>
  );
}
