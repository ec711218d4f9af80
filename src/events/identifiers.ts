/** Identifiers of other systems that an app tells by the reserved event `set_identifiers`; pure. */
import type { EventsTable } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { CountedInstall } from '../installs/index.ts';
import { IDENTIFIERS, type Identifier } from '../webhooks/index.ts';
import { MAX_IDENTIFIER_CHARACTERS } from './limits.ts';
import type { RecordEventInput } from './schemas.ts';

/** Reserved: its properties are kept with the install, without an event. */
export const SET_IDENTIFIERS = 'set_identifiers';

/** @returns AppError `request.invalid` for unknown names, and for values that are neither texts nor null. */
export function checkIdentifiers({ eventName, properties }: RecordEventInput): AppError | null {
  if (eventName !== SET_IDENTIFIERS) return null;
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (!(IDENTIFIERS as readonly string[]).includes(name))
      return invalid(`properties has no ${name.slice(0, MAX_SHOWN_CHARACTERS)}`);
    if (value !== null && (typeof value !== 'string' || [...value].length > MAX_IDENTIFIER_CHARACTERS))
      return invalid(
        `properties.${name} must be a text of at most ${MAX_IDENTIFIER_CHARACTERS} characters, or null`,
      );
  }
  return null;
}

const MAX_SHOWN_CHARACTERS = 64;

function invalid(fault: string): AppError {
  return new AppError('request.invalid', {
    message: `${fault}. ${SET_IDENTIFIERS} takes ${IDENTIFIERS.join(', ')}.`,
  });
}

/**
 * @param events checked ones, in order.
 * @returns the column `identifiers` of the installs where it changes; none of those without consent to device signals.
 */
export function identifiersOf(
  events: readonly EventsTable[],
  installs: ReadonlyMap<string, CountedInstall>,
): Map<CountedInstall, string | null> {
  const told = events.filter(({ event_name }) => event_name === SET_IDENTIFIERS);
  const byInstall = Map.groupBy(told, ({ install_id }) => installs.get(install_id));
  const changed = new Map<CountedInstall, string | null>();
  for (const [install, rows] of byInstall) {
    if (install === undefined || install.deterministic_only === 1) continue;
    const identifiers = merge([install.identifiers ?? '{}', ...rows.map(({ properties }) => properties)]);
    if (identifiers !== install.identifiers) changed.set(install, identifiers);
  }
  return changed;
}

/** In a fixed order; null for none. */
function merge(texts: readonly string[]): string | null {
  const parts = texts.map((text) => JSON.parse(text) as Partial<Record<Identifier, string | null>>);
  const all = Object.assign({}, ...parts);
  const kept = IDENTIFIERS.flatMap((name) => (all[name] ? [[name, all[name]]] : []));
  return kept.length === 0 ? null : JSON.stringify(Object.fromEntries(kept));
}
