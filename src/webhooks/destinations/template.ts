/**
 * Texts and JSON with placeholders such as `{{properties.plan}}`. Nothing is evaluated: a placeholder is replaced by
 * the value that it names, and JSON is built as JSON, so that no value breaks out of its place.
 */
import type { ForwardedRecord } from './destination-type.ts';
import { describePaths, isRecordPath, readPath } from './record-path.ts';

const MAX_DEPTH = 10;
/** Bounds the output: each may become all properties of an event. */
const MAX_PLACEHOLDERS = 100;

const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;
const ONLY_PLACEHOLDER = /^\{\{([^{}]*)\}\}$/;

/** @returns the paths of all placeholders in a text. */
export function placeholdersOf(text: string): string[] {
  return Array.from(text.matchAll(PLACEHOLDER), ([, path = '']) => path.trim());
}

export function isPlaceholder(text: string): boolean {
  return ONLY_PLACEHOLDER.test(text);
}

/** @returns what is wrong with a text, to follow its name; null if nothing is. */
export function problemOfText(text: string): string | null {
  const unknown = placeholdersOf(text).find((path) => !isRecordPath(path));
  if (unknown !== undefined) return `has the placeholder {{${unknown}}}, which is not ${describePaths()}`;
  if (text.replace(PLACEHOLDER, ' ').includes('{{'))
    return 'has “{{” without “}}”, or braces within: write a placeholder as {{revenue.amount}}';
  return null;
}

/** @param template any JSON. @returns what is wrong with it, to follow its name; null if nothing is. */
export function problemOfJson(template: unknown): string | null {
  let placeholders = 0;
  const problemOf = (value: unknown, depth: number): string | null => {
    if (depth > MAX_DEPTH) return `is nested deeper than ${MAX_DEPTH} levels`;
    if (typeof value === 'string') {
      placeholders += placeholdersOf(value).length;
      return problemOfText(value);
    }
    if (typeof value !== 'object' || value === null) return null;
    if (Object.keys(value).some((name) => name.includes('{{')))
      return 'has a placeholder in the name of a field: only values may have them';
    for (const child of Object.values(value)) {
      const problem = problemOf(child, depth + 1);
      if (problem !== null) return problem;
    }
    return null;
  };
  const problem = problemOf(template, 1);
  if (problem !== null) return problem;
  return placeholders > MAX_PLACEHOLDERS ? `has more than ${MAX_PLACEHOLDERS} placeholders` : null;
}

const NOTHING = { value: null, text: '' } as const;

/** What fills the templates of one record. Values are read once; nothing more is filled in once the characters are used up. */
export class Filling {
  readonly #record: ForwardedRecord;
  readonly #encode: (text: string) => string;
  readonly #values = new Map<string, { readonly value: unknown; readonly text: string }>();
  #left: number;

  /** @param encode of each value, for where the text goes. */
  constructor(record: ForwardedRecord, maxCharacters: number, encode = (text: string) => text) {
    this.#record = record;
    this.#encode = encode;
    this.#left = maxCharacters;
  }

  /** Whether there would be more characters: what was filled is not whole then. */
  get isTooLong(): boolean {
    return this.#left < 0;
  }

  read(path: string): { readonly value: unknown; readonly text: string } {
    const read = this.isTooLong ? NOTHING : (this.#values.get(path) ?? this.#readRecord(path));
    this.#left -= read.text.length;
    return this.isTooLong ? NOTHING : read;
  }

  #readRecord(path: string) {
    const value = readPath(this.#record, path);
    const read = { value, text: this.#encode(toText(value)) };
    this.#values.set(path, read);
    return read;
  }
}

/**
 * A text that is one placeholder becomes its value, of whatever type, or null; a placeholder within a text becomes text.
 * @param template without a problem by `problemOfJson`.
 */
export function fillJson(template: unknown, filling: Filling): unknown {
  if (typeof template === 'string') {
    const [, path] = ONLY_PLACEHOLDER.exec(template) ?? [];
    return path === undefined ? fillText(template, filling) : filling.read(path.trim()).value;
  }
  if (Array.isArray(template)) return template.map((each) => fillJson(each, filling));
  if (typeof template !== 'object' || template === null) return template;
  return Object.fromEntries(
    Object.entries(template).map(([name, value]) => [name, fillJson(value, filling)]),
  );
}

export function fillText(text: string, filling: Filling): string {
  return text.replace(PLACEHOLDER, (_, path: string) => filling.read(path.trim()).text);
}

function toText(value: unknown): string {
  if (value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
