/** What the form of a destination says, as the service takes it. Pure. */
import type { CreateDestination } from '@generated/types.gen.ts';
import { type ConfigField, controlOf, NONE } from './config-fields.ts';
import { parseLines } from './lines.ts';

export const EVENTS = [
  ['install', 'Installs', 'The first start of the app, with what it is due to'],
  ['open', 'Opens', 'Later starts by a link'],
  ['event', 'Events', 'What the app reports: purchases, levels, sign-ups'],
] as const;

/** Of a new one also whether it is on: later a button switches it. */
export type DestinationFields = Omit<CreateDestination, 'type'>;

/**
 * A secret that is kept has no control in the form, and is not sent.
 * @param isNew leaves out what is empty; a change removes it.
 */
export function readForm(form: FormData, fields: readonly ConfigField[], isNew: boolean): DestinationFields {
  const text = (name: string) => String(form.get(name) ?? '').trim();
  const chosen = EVENTS.map(([kind]) => kind).filter((kind) => form.getAll('events').includes(kind));
  const eventNames = [...new Set(text('eventNames').split('\n').map(trim).filter(isGiven))];
  const events = parseLines(text('mapping.events'), '=');
  const prefix = 'mapping.fields.';
  const mapped = [...form.keys()]
    .filter((name) => name.startsWith(prefix) && text(name) !== '')
    .map((name) => [name.slice(prefix.length), text(name)] as const);
  // None chosen means all.
  const takesEvents = chosen.length === 0 || chosen.includes('event');
  return {
    name: text('name'),
    config: Object.fromEntries(fields.flatMap((field) => entryOf(form, field, isNew))),
    events: chosen.length === EVENTS.length ? [] : chosen,
    eventNames: takesEvents ? eventNames : [],
    mapping: { events, fields: Object.fromEntries(mapped) },
    consent: form.get('consent') === 'any' ? 'any' : 'granted',
    ...(isNew && { enabled: form.get('enabled') !== null }),
  };
}

function entryOf(form: FormData, { name, kind }: ConfigField, isNew: boolean): [string, unknown][] {
  const given = form.get(controlOf(name));
  if (given === null) return [];
  const value = String(given).trim();
  if (value === NONE) return isNew ? [] : [[name, null]];
  return [[name, kind === 'headers' ? parseLines(value, ':') : value]];
}

const trim = (text: string) => text.trim();
const isGiven = (text: string) => text !== '';
