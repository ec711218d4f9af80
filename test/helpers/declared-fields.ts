/** Whether a call of a destination holds only what its type declares. */
import type { DestinationType, OutgoingCall } from '../../src/webhooks/destinations/destination-type.ts';

/** @returns the fields of a call that `fields` does not declare, besides its Content-Type. */
export function undeclaredFields(
  { fields }: Pick<DestinationType<object>, 'fields'>,
  { url, headers, body }: OutgoingCall,
): string[] {
  const patterns = fields.map(partsOf);
  const isDeclared = (parts: readonly string[]) => patterns.some((pattern) => matches(pattern, parts));
  const found = [
    ...Array.from(new URL(url).searchParams.keys(), (name) => [`?${name}`]),
    ...Object.keys(headers)
      .filter((name) => name.toLowerCase() !== 'content-type')
      .map((name) => [`header:${name.toLowerCase()}`]),
    ...leavesOf(JSON.parse(body), []),
  ];
  return found.filter((parts) => !isDeclared(parts)).map((parts) => parts.join('.'));
}

/** `batch[].properties.*` as batch, [], properties, *. */
function partsOf(field: string): string[] {
  if (/^(\?|header:)/.test(field)) return [field];
  return field
    .replaceAll('[]', '.[]')
    .split('.')
    .filter((part) => part !== '');
}

function matches([first, ...others]: readonly string[], parts: readonly string[]): boolean {
  if (first === undefined) return parts.length === 0;
  const [part, ...rest] = parts;
  if (part === undefined) return false;
  if (first === '**') return !part.startsWith('?') && !part.startsWith('header:');
  const isAny =
    first === '*' ||
    (first === '?*' && part.startsWith('?')) ||
    (first === 'header:*' && part.startsWith('header:'));
  return (isAny || first === part) && matches(others, rest);
}

function leavesOf(value: unknown, parts: readonly string[]): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [parts];
  const isList = Array.isArray(value);
  return Object.entries(value).flatMap(([name, child]) => leavesOf(child, [...parts, isList ? '[]' : name]));
}
