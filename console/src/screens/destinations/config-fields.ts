/** The fields of a form for what a type of destination needs, as the service lists them. Pure. */
import type { DestinationType } from '@generated/types.gen.ts';

export interface ConfigField {
  readonly name: string;
  /** Of the control in the form. */
  readonly control: string;
  readonly label: string;
  readonly help: string | undefined;
  readonly kind: 'text' | 'address' | 'choice' | 'headers' | 'json';
  /** Of a choice: what it has, and what is chosen at first; an empty text leaves the field out. */
  readonly options: readonly string[];
  readonly first: string;
  readonly isRequired: boolean;
  readonly isSecret: boolean;
  readonly isAdvanced: boolean;
}

/** Capitals that are not the start of a word. */
const SHORT_WORDS: Readonly<Record<string, string>> = { id: 'ID', api: 'API', url: 'URL' };
const NAMES: Readonly<Record<string, string>> = { url: 'Address', baseUrl: 'Other address' };
/** What the service takes as an object or as JSON; everything else is a text. */
const KINDS: Readonly<Record<string, ConfigField['kind']>> = {
  headers: 'headers',
  body: 'json',
  baseUrl: 'address',
};
/** What a choice says that leaves its field out. */
export const NONE = '';

export function fieldsOf({ config }: Pick<DestinationType, 'config'>): ConfigField[] {
  return config.map(({ name, description, required, secret, values, default: first }) => ({
    name,
    control: controlOf(name),
    label: labelOf(name),
    help: description === '' ? undefined : `${description.replace(/\.$/, '')}.`,
    kind: values === null ? (KINDS[name] ?? 'text') : 'choice',
    options: values ?? [],
    first: first ?? NONE,
    isRequired: required,
    isSecret: secret,
    isAdvanced: name === 'baseUrl',
  }));
}

/** As the texts of the service name it. */
export function controlOf(name: string): string {
  return `config.${name}`;
}

/** `firebaseAppId` is “Firebase app ID”. */
export function labelOf(name: string): string {
  if (NAMES[name] !== undefined) return NAMES[name];
  const words = name.split(/(?=[A-Z])/).map((word) => SHORT_WORDS[word.toLowerCase()] ?? word.toLowerCase());
  const text = words.join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
