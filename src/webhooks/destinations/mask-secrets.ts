/** Calls and answers as people may see them. Pure. */
import type { Config } from './destination.ts';
import type { OutgoingCall } from './destination-type.ts';

const MASK = '••••';
/** A shorter value may be part of anything. */
const MIN_CHARACTERS = 4;
/** Each is looked for in the whole answer. Credentials are a few words; the headers of one's own may have thousands. */
const MAX_PARTS = 200;

/** @param secrets names of the config's secret fields. */
export function maskSecrets(call: OutgoingCall, config: Config, secrets: readonly string[]): OutgoingCall {
  const values = secrets.flatMap((name) => textsIn(config[name])).sort((a, b) => b.length - a.length);
  const long = values.filter((value) => value.length >= MIN_CHARACTERS);
  const headers = Object.entries(call.headers).map(([name, value]) => [name, maskHeader(value, values)]);
  return { url: mask(call.url, long), headers: Object.fromEntries(headers), body: mask(call.body, long) };
}

/** Of a call: masks its secrets in what the receiver says, which may repeat what it was sent. */
export function maskerOf(
  { headers }: Pick<OutgoingCall, 'headers'>,
  config: Config,
  secrets: readonly string[],
): (text: string) => string {
  let spellings: string[] | null = null;
  return (text) => {
    spellings ??= spellingsIn(headers, config, secrets);
    return maskSpellings(text, spellings);
  };
}

/** Longer ones first. */
function spellingsIn(headers: OutgoingCall['headers'], config: Config, secrets: readonly string[]): string[] {
  const values = secrets.flatMap((name) => textsIn(config[name]));
  const sent = Object.values(headers).filter((value) => maskHeader(value, values) !== value);
  const whole = [...values, ...sent];
  const parts = [...whole, ...whole.flatMap((value) => value.split(/\s+/))];
  const long = [...new Set(parts)].filter((value) => value.length >= MIN_CHARACTERS && !SCHEME.test(value));
  const masked = long.slice(0, MAX_PARTS).sort((a, b) => b.length - a.length);
  return masked.flatMap(spellingsOf);
}

/** Of a header, which is no secret. */
const SCHEME = /^(basic|bearer|token|digest|apikey|api-key)$/i;

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** As it is, in JSON, percent-encoded, as a form has it, and in base64, with and without its padding. */
function mask(text: string, values: readonly string[]): string {
  return maskSpellings(text, values.flatMap(spellingsOf));
}

function maskSpellings(text: string, spellings: readonly string[]): string {
  let masked = text;
  for (const spelling of spellings) masked = masked.replaceAll(spelling, MASK);
  return masked;
}

function spellingsOf(value: string): string[] {
  const json = JSON.stringify(value).slice(1, -1);
  const percent = encodeURIComponent(value.toWellFormed());
  const lowerCase = percent.replace(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase());
  const form = new URLSearchParams([['', value]]).toString().slice(1);
  const base64 = Buffer.from(value).toString('base64');
  const spellings = [value, json, json.replaceAll('/', '\\/'), percent, lowerCase, form];
  return [
    ...new Set([...spellings, base64, base64.replace(/=+$/, ''), Buffer.from(value).toString('base64url')]),
  ];
}

/** Of basic authentication, a secret is encoded with a name. */
function maskHeader(value: string, values: readonly string[]): string {
  const [scheme = '', encoded = ''] = value.split(' ', 2);
  const decoded = /^basic$/i.test(scheme) ? Buffer.from(encoded, 'base64').toString() : '';
  return values.some((secret) => decoded.includes(secret)) ? `${scheme} ${MASK}` : mask(value, values);
}
