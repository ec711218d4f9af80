/** What a destination takes and who consented, in words. Pure. */
import type { Destination } from '@generated/types.gen.ts';

const KINDS = { install: 'installs', open: 'opens', event: 'events' } as const;

export const CONSENTS = [
  [
    'granted',
    'Only people who consented',
    'Records of people who allowed certain matching alone are not sent.',
  ],
  [
    'any',
    'Everyone whose records are stored',
    'Also of people who allowed certain matching alone. Choose it only if you may pass their records on without their consent, such as to a processor of your own.',
  ],
] as const;

/** Such as “Installs, opens and the events purchase, level_up”. */
export function takenBy({
  events,
  eventNames,
  consent,
}: Pick<Destination, 'events' | 'eventNames' | 'consent'>): string {
  const all = Object.keys(KINDS) as (keyof typeof KINDS)[];
  const kinds = (events.length === 0 ? all : all.filter((kind) => events.includes(kind))).map((kind) =>
    kind === 'event' && eventNames.length > 0 ? `the events ${eventNames.join(', ')}` : KINDS[kind],
  );
  const text = kinds.length > 1 ? `${kinds.slice(0, -1).join(', ')} and ${kinds.at(-1)}` : `${kinds[0]}`;
  const who = consent === 'any' ? ', whatever the consent' : '';
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${who}`;
}
