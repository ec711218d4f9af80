/** A call as people may see it. Pure. */
import type { Config } from './destination.ts';
import type { OutgoingCall } from './destination-type.ts';

const MASK = '••••';
/** A shorter value may be part of anything. */
const MIN_CHARACTERS = 4;

/** @param secrets names of the config's secret fields. */
export function maskSecrets(call: OutgoingCall, config: Config, secrets: readonly string[]): OutgoingCall {
  const values = secrets.flatMap((name) => textsIn(config[name])).sort((a, b) => b.length - a.length);
  const long = values.filter((value) => value.length >= MIN_CHARACTERS);
  const headers = Object.entries(call.headers).map(([name, value]) => [name, maskHeader(value, values)]);
  return { url: mask(call.url, long), headers: Object.fromEntries(headers), body: mask(call.body, long) };
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** As it is, in JSON, and percent-encoded. */
function mask(text: string, values: readonly string[]): string {
  let masked = text;
  for (const value of values)
    for (const spelling of [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)])
      masked = masked.replaceAll(spelling, MASK);
  return masked;
}

/** Of basic authentication, a secret is encoded with a name. */
function maskHeader(value: string, values: readonly string[]): string {
  const [scheme = '', encoded = ''] = value.split(' ', 2);
  const decoded = /^basic$/i.test(scheme) ? Buffer.from(encoded, 'base64').toString() : '';
  return values.some((secret) => decoded.includes(secret)) ? `${scheme} ${MASK}` : mask(value, values);
}
