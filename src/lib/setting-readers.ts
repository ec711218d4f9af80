/** Readers of settings. Each names the setting that is wrong, and the rule. */
import { StartError } from '../errors.ts';

export function refuse(name: string, why: string): never {
  throw new StartError(`${name} ${why}.`);
}

export function token(name: string, value: string | null): string | null {
  if (value !== null && !/^[\x20-\x7e]+$/.test(value))
    refuse(name, 'must be printable ASCII, since a header carries it (try: openssl rand -base64 32)');
  return value;
}

export function integer<Fallback extends number | null>(
  name: string,
  value: string | null,
  fallback: Fallback,
  min: number,
  max: number,
): number | Fallback {
  if (value === null) return fallback;
  if (!/^\d{1,9}$/.test(value) || Number(value) < min || Number(value) > max)
    refuse(name, `must be a whole number from ${min} to ${max}, not “${value}”`);
  return Number(value);
}

export function oneOf<T extends string>(
  name: string,
  value: string | null,
  options: readonly T[],
  fallback: T,
): T {
  if (value === null) return fallback;
  const found = options.find((option) => option === value);
  return found ?? refuse(name, `must be one of ${options.join(', ')}, not “${value}”`);
}

export function isOn(name: string, value: string | null, fallback: '0' | '1' = '0'): boolean {
  return oneOf(name, value, ['0', '1'], fallback) === '1';
}

export function listOf(value: string): string[] {
  return value.split(',').map((part) => part.trim());
}
