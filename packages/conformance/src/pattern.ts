/**
 * Compares a value with a pattern. An object needs the fields that the pattern names, and may have others; a list needs the
 * same length. `{ "$not": … }`, `{ "$absent": true }`, `{ "$only": [names] }` (no other fields), and
 * `{ "$contains": "text" }` and `{ "$near": [time, ms] }` are operators; `${a.b}` in a text is looked up, and `{ "$repeat": ["ab", 500] }` is a long text.
 */
import type { Json } from './scenario.ts';

/** Values by name, for `${name.field}`. */
export type Lookup = Readonly<Record<string, unknown>>;

/** @returns the differences, for people; none if the value fits. */
export function differences(pattern: Json, value: unknown, lookup: Lookup, where: string): string[] {
  const expected = fill(pattern, lookup);
  if (isList(expected)) return inList(expected, value, lookup, where);
  if (typeof expected !== 'object' || expected === null)
    return Object.is(expected, value) ? [] : [`${where}: expected ${show(expected)}, got ${show(value)}`];
  const [name = '', operand = null] = Object.entries(expected)[0] ?? [];
  if (name.startsWith('$')) return byOperator(name, operand, value, lookup, where);
  if (!isRecord(value)) return [`${where}: expected ${show(expected)}, got ${show(value)}`];
  return Object.entries(expected).flatMap(([field, part]) =>
    differences(part, value[field], lookup, `${where}.${field}`),
  );
}

function inList(expected: readonly Json[], value: unknown, lookup: Lookup, where: string): string[] {
  if (!Array.isArray(value) || value.length !== expected.length) {
    const got = Array.isArray(value) ? `${value.length}: ${show(value)}` : show(value);
    return [`${where}: expected ${expected.length}, got ${got}`];
  }
  return expected.flatMap((part, index) => differences(part, value[index], lookup, `${where}[${index}]`));
}

function byOperator(name: string, operand: Json, value: unknown, lookup: Lookup, where: string): string[] {
  switch (name) {
    case '$not': {
      const fits = differences(operand, value, lookup, where).length === 0;
      return fits ? [`${where}: expected anything but ${show(fill(operand, lookup))}`] : [];
    }
    case '$absent':
      return value === undefined ? [] : [`${where}: expected nothing, got ${show(value)}`];
    case '$only': {
      const others = Object.keys(isRecord(value) ? value : {}).filter(
        (field) => !(isList(operand) && operand.includes(field)),
      );
      return others.length === 0
        ? []
        : [`${where}: expected only ${show(operand)}, got also ${show(others)}`];
    }
    case '$contains':
      return String(value).includes(String(operand))
        ? []
        : [`${where}: expected ${show(operand)} in ${show(value)}`];
    case '$near': {
      const [time = '', ms = 0] = fill(operand, lookup) as readonly [string, number];
      return Math.abs(Date.parse(String(value)) - Date.parse(time)) <= ms
        ? []
        : [`${where}: expected at most ${ms} ms from ${time}, got ${show(value)}`];
    }
    default:
      throw new Error(`unknown operator ${name} in a pattern: use $not, $absent, $only, $contains or $near`);
  }
}

/** Replaces `${a.b}` in all texts; a text that is nothing else becomes the value itself. */
export function fill(pattern: Json, lookup: Lookup): Json {
  if (typeof pattern === 'string') {
    const whole = /^\$\{([^}]+)\}$/.exec(pattern)?.[1];
    if (whole !== undefined) return find(whole, lookup) as Json;
    return pattern.replaceAll(/\$\{([^}]+)\}/g, (_all, path: string) => String(find(path, lookup)));
  }
  if (isList(pattern)) return pattern.map((part) => fill(part, lookup));
  if (typeof pattern !== 'object' || pattern === null) return pattern;
  const { $repeat: repeat } = pattern as { $repeat?: readonly [string, number] };
  if (repeat !== undefined) return repeat[0].repeat(repeat[1]);
  return Object.fromEntries(Object.entries(pattern).map(([name, part]) => [name, fill(part, lookup)]));
}

function find(path: string, lookup: Lookup): unknown {
  let value: unknown = lookup;
  for (const name of path.split('.')) value = isRecord(value) ? value[name] : undefined;
  return value;
}

/** As JSON, cut to what a person reads. */
export function show(value: unknown, length = 400): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > length ? `${text.slice(0, length)}… (${text.length} characters)` : text;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
