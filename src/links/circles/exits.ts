import type { Destinations } from '../../apps/index.ts';
import type { Platform } from '../../devices/index.ts';
import type { LinkRule } from '../choice/rules.ts';

/** What leads on from a link. */
export interface ExitFields extends Required<Destinations> {
  readonly rules: readonly LinkRule[];
  /** Whether it may end, and lead on then. */
  readonly mayExpire: boolean;
  readonly expiredUrl: string | null;
  readonly goneWhenExpired: boolean;
}

/** An address to which a link may lead. */
export interface Exit {
  /** The field that has it, such as `rules.0.then.fallbackUrl`. */
  readonly field: string;
  readonly address: string;
}

/** Where a visitor of the platform may be led, each field once. */
export function exitsOf(link: ExitFields, platform: Platform | null): Exit[] {
  const exits = new Map<string, Exit>();
  const add = (exit: Exit | null) => {
    if (exit !== null) exits.set(exit.field, exit);
  };
  for (const place of reachable(link.rules, platform)) {
    const own = platform === null ? null : exitAt(link, place, OWN_FIELD[platform]);
    const fallback = exitAt(link, place, 'fallbackUrl');
    add(own ?? fallback);
    // An end can be set at any time.
    if (!link.goneWhenExpired) add(endOf(link) ?? (link.mayExpire ? fallback : null));
  }
  return [...exits.values()];
}

/** All addresses of a link, each field once. */
export function allExitsOf(link: ExitFields): Exit[] {
  const fields = [...Object.values(OWN_FIELD), 'fallbackUrl'] as const;
  const places = [null, ...link.rules.keys()];
  const exits = places.flatMap((place) => fields.map((field) => exitAt(link, place, field)));
  const found = [...exits, endOf(link)].filter((exit) => exit !== null);
  return [...new Map(found.map((exit) => [exit.field, exit])).values()];
}

const OWN_FIELD = { IOS: 'iosDestination', ANDROID: 'androidDestination' } as const;

/** The rules that may win on a platform; null stands for none of them. */
function reachable(rules: readonly LinkRule[], platform: Platform | null): (number | null)[] {
  const places: (number | null)[] = [];
  for (const [place, { when }] of rules.entries()) {
    const { platform: wanted, ...others } = when;
    if (wanted !== undefined && wanted !== (platform ?? 'OTHER')) continue;
    places.push(place);
    if (Object.keys(others).length === 0) return places;
  }
  return [...places, null];
}

function exitAt(link: ExitFields, place: number | null, field: keyof Destinations): Exit | null {
  const changed = place === null ? undefined : link.rules[place]?.then[field];
  if (changed !== undefined) return { field: `rules.${place}.then.${field}`, address: changed };
  const address = link[field];
  return address === null ? null : { field, address };
}

function endOf({ expiredUrl }: ExitFields): Exit | null {
  return expiredUrl === null ? null : { field: 'expiredUrl', address: expiredUrl };
}
