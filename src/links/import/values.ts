import { isMoment, isoTime, LATEST_MS } from '../../lib/clock.ts';

/** Why a row is no link. */
export class RowFailure extends Error {
  override readonly name = 'RowFailure';
}

const MAX_SHOWN = 80;

/** A value of the file within a message. */
export function shown(value: string): string {
  return `“${value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value}”`;
}

/** The values of a row by field, as text from CSV or as JSON has them. */
export class Values<Field extends string = string> {
  readonly #values: ReadonlyMap<string, unknown>;
  readonly #names: Readonly<Record<string, string>>;

  /** @param names of the columns by field. */
  constructor(values: ReadonlyMap<string, unknown>, names: Readonly<Record<string, string>>) {
    this.#values = values;
    this.#names = names;
  }

  /** Undefined where JSON has null, or CSV an empty cell. */
  get(field: Field): unknown {
    return this.#values.get(field);
  }

  /** As the file calls it. */
  nameOf(field: Field): string {
    return this.#names[field] ?? field;
  }

  text(field: Field): string | undefined {
    return textOf(this.get(field));
  }

  /** @throws RowFailure without a value. */
  needed(field: Field): string {
    const text = this.text(field);
    if (text === undefined) throw new RowFailure(`${this.nameOf(field)} is empty.`);
    return text;
  }

  isSet(field: Field): boolean {
    return saysYes(this.get(field));
  }

  /** A number of clicks; null for anything else. */
  count(field: Field): number | null {
    return countOf(this.get(field));
  }

  named(field: Field): Named {
    return { name: this.nameOf(field), value: this.get(field) };
  }

  /** Texts of a list, or of a text that `separator` divides. */
  list(field: Field, separator: RegExp): string[] {
    const value = this.get(field);
    const parts = Array.isArray(value) ? value : (textOf(value)?.split(separator) ?? []);
    return parts.map((part) => textOf(part)).filter((part) => part !== undefined);
  }

  /** @throws RowFailure for a value that is no time. */
  time(field: Field): Time | undefined {
    return timeIn(this.named(field));
  }
}

/** A value as the file calls it; undefined without one. */
export interface Named {
  readonly name: string;
  readonly value: unknown;
}

/** A number of clicks; null for anything else. */
export function countOf(value: unknown): number | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? value : null;
  const [, plain, grouped] = COUNT.exec(textOf(value) ?? '') ?? [];
  const digits = plain ?? grouped?.replaceAll(/\D/g, '');
  return digits === undefined ? null : Number(digits);
}

/** Digits, or groups of three with one separator between; decimals are one or two zeros, and have another separator. */
const COUNT =
  /^(?:(\d{1,15})|([1-9]\d{0,2}([., \u00A0\u2009\u202F’'])\d{3}(?:\3\d{3}){0,3}(?!\3)))(?:[.,]0{1,2})?$/;

/** Whether a value says yes: any that does not say no. */
export function saysYes(value: unknown): boolean {
  return (
    value !== undefined &&
    value !== null &&
    !SAYS_NO.test(textOf(value) ?? (typeof value === 'string' ? '' : 'object'))
  );
}

const SAYS_NO = /^(|0|no|n|false|off|-|none|null)$/i;

/** Trimmed; undefined if nothing is left, or for what is no text, number or flag. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  return text === '' ? undefined : text;
}

export interface Time {
  readonly iso: string;
  readonly ms: number;
  /** Whether the file names the zone; else it is read as UTC. */
  readonly hasZone: boolean;
}

/** @throws RowFailure for a value that is no time: a link that has ended must not be opened. */
export function timeIn({ name, value }: Named): Time | undefined {
  const isObject = typeof value === 'object' && value !== null;
  const text = isObject ? 'an object' : textOf(value);
  if (text === undefined) return undefined;
  const time = timeOf(text);
  if (time === null)
    throw new RowFailure(`${name}: ${shown(text)} is no time. Write it as 2026-12-31T23:59:59Z.`);
  return time;
}

const MOMENT =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?))? ?(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?$/i;
/** Earlier seconds are later than all milliseconds of this length. */
const MAX_SECONDS_DIGITS = 11;

/** ISO 8601 in its variants, and seconds or milliseconds since 1970; null for anything else. */
export function timeOf(text: string): Time | null {
  if (/^\d{9,14}(\.\d+)?$/.test(text)) {
    const [digits = ''] = text.split('.');
    const ms = Number(text) * (digits.length <= MAX_SECONDS_DIGITS ? 1_000 : 1);
    return ms <= LATEST_MS ? { iso: isoTime(Math.trunc(ms)), ms: Math.trunc(ms), hasZone: true } : null;
  }
  const [, day, time = '00:00', zone] = MOMENT.exec(text) ?? [];
  if (day === undefined) return null;
  const offset = /^[+-]/.test(zone ?? '')
    ? zone?.replace(/^(...):?(\d\d)?$/, (_, hours, minutes = '00') => `${hours}:${minutes}`)
    : 'Z';
  const moment = `${day}T${time.replace(',', '.')}${offset}`;
  const ms = isMoment(moment) ? Date.parse(moment) : Number.NaN;
  return ms >= 0 && ms <= LATEST_MS ? { iso: isoTime(ms), ms, hasZone: zone !== undefined } : null;
}
