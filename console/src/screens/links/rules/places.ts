/** Countries and languages by the names that the viewer's language has for them. */
import { formatCountry } from '../../../formats.ts';
import { formatLanguage } from './words.ts';

export type Named = readonly [code: string, name: string];

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];
const PAIRS = LETTERS.flatMap((one) => LETTERS.map((other) => one + other));
/** In use beside countries, for unions, outlying parts and tests. */
const NO_COUNTRIES = new Set([
  'AC',
  'CP',
  'CQ',
  'DG',
  'EA',
  'EU',
  'EZ',
  'IC',
  'QO',
  'TA',
  'UN',
  'XA',
  'XB',
  'ZZ',
]);
/** Where people write one language in two ways. */
const VARIANTS = [
  ...[
    'de-AT',
    'de-CH',
    'de-DE',
    'en-AU',
    'en-CA',
    'en-GB',
    'en-US',
    'es-419',
    'es-ES',
    'es-MX',
    'fr-CA',
    'fr-CH',
  ],
  ...['fr-FR', 'it-CH', 'nl-BE', 'pt-BR', 'pt-PT', 'sr-Latn', 'zh-Hans', 'zh-Hant', 'zh-HK', 'zh-TW'],
];

let countries: readonly Named[] | null = null;
let languages: readonly Named[] | null = null;

export function allCountries(): readonly Named[] {
  countries ??= byName(
    PAIRS.map((pair) => pair.toUpperCase())
      .filter((code) => !NO_COUNTRIES.has(code) && isCurrent(code))
      .map((code) => [code, formatCountry(code)] as const),
  );
  return countries;
}

export function allLanguages(): readonly Named[] {
  languages ??= byName([...PAIRS, ...VARIANTS].map((tag) => [tag, formatLanguage(tag)] as const));
  return languages;
}

/** Codes of former countries stand for those of today. */
function isCurrent(code: string): boolean {
  return new Intl.Locale(`und-${code}`).region === code;
}

/** Codes that have no name are in no use. */
function byName(all: readonly Named[]): readonly Named[] {
  const named = all.filter(([code, name]) => name !== '' && name.toLowerCase() !== code.toLowerCase());
  return named.toSorted(([, one], [, other]) => one.localeCompare(other));
}

const LANGUAGE_TAG = /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}$/;

/** The code for what somebody typed: a name in any case, or the code itself; null for neither. */
export function codeOf(kind: 'country' | 'language', text: string): string | null {
  const typed = text.trim().toLowerCase();
  if (typed === '') return null;
  const all = kind === 'country' ? allCountries() : allLanguages();
  const found = all.find(([code, name]) => code.toLowerCase() === typed || name.toLowerCase() === typed);
  if (found !== undefined) return found[0];
  const tag = text.trim().replaceAll('_', '-');
  return kind === 'language' && LANGUAGE_TAG.test(tag) && tag.includes('-') ? tag : null;
}
