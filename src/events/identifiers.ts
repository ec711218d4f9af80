/** Identifiers of other systems, which an app sends by the reserved event `set_identifiers`; pure. */
import type { EventsTable, InstallsTable } from '../db/index.ts';
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

/** What an install keeps: a text of JSON of the identifiers, and one of when each was last set. */
export type KeptIdentifiers = Pick<InstallsTable, 'identifiers' | 'identifier_times'>;

/**
 * @param events checked ones, in order.
 * @returns the columns of the installs where they change; none of those without consent to device signals.
 */
export function identifiersOf(
  events: readonly EventsTable[],
  installs: ReadonlyMap<string, CountedInstall>,
): Map<CountedInstall, KeptIdentifiers> {
  const told = events.filter(({ event_name }) => event_name === SET_IDENTIFIERS);
  const byInstall = Map.groupBy(told, ({ install_id }) => installs.get(install_id));
  const changed = new Map<CountedInstall, KeptIdentifiers>();
  for (const [install, rows] of byInstall) {
    if (install === undefined || install.deterministic_only === 1) continue;
    const kept = merge(install, rows);
    if (kept.identifiers !== install.identifiers || kept.identifier_times !== install.identifier_times)
      changed.set(install, kept);
  }
  return changed;
}

type ByIdentifier = Partial<Record<Identifier, string | null>>;

/** Of an identifier that was set twice, the later setting counts, whenever it arrives. In a fixed order; null for none. */
function merge(install: KeptIdentifiers, rows: readonly EventsTable[]): KeptIdentifiers {
  const all = JSON.parse(install.identifiers ?? '{}') as ByIdentifier;
  const times = JSON.parse(install.identifier_times ?? '{}') as ByIdentifier;
  for (const { properties, occurred_at } of rows)
    for (const [name, value] of Object.entries(JSON.parse(properties)) as [Identifier, string | null][]) {
      if (occurred_at < (times[name] ?? '')) continue;
      all[name] = namesDevice(value) ? value : null;
      times[name] = occurred_at;
    }
  return { identifiers: toText(all), identifier_times: toText(times) };
}

function toText(all: ByIdentifier): string | null {
  const kept = IDENTIFIERS.flatMap((name) => (all[name] ? [[name, all[name]]] : []));
  return kept.length === 0 ? null : JSON.stringify(Object.fromEntries(kept));
}

const NO_DEVICE = '00000000-0000-0000-0000-000000000000';

/** A blank text names none, nor do zeros: phones answer with them if the person limits advertising. */
function namesDevice(value: string | null): boolean {
  const text = value?.trim() ?? '';
  return text !== '' && text !== NO_DEVICE;
}
