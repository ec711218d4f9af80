import { countLines } from './file-text.ts';
import { ImportFileError } from './imported-row.ts';
import { createJsonValues, MAX_VALUE_CHARACTERS, tooLong } from './json-values.ts';

/** An object of the file; or the text in the place of one. */
export type JsonItem = { readonly line: number } & (
  | { readonly value: Readonly<Record<string, unknown>> }
  | { readonly text: string }
);

/** Keys that lead to the list in an answer: of Bitly and Short.io, of Shlink, of Kutt. */
const PAGES = ['links', 'shortUrls.data', 'data'];

interface Items {
  /** @throws ImportFileError for text that is no JSON. */
  write(text: string): JsonItem[];
  /** @throws ImportFileError for a file that ends within an object. */
  end(): JsonItem[];
}

/**
 * Objects of a JSON file whose text comes in pieces: one in each line, a list of them, or answers of an API that have them in a
 * list.
 */
export function createJsonItems(): Items {
  let start = '';
  let emptyLines = 0;
  let items: Items | null = null;

  function begin(): Items {
    const [line = ''] = start.split('\n', 1);
    // A line that is no JSON then costs its own row only.
    return parseObject(line) !== null ? createLines(emptyLines) : createValues(emptyLines);
  }

  return {
    write(text) {
      if (items !== null) return items.write(text);
      start += text;
      if (!text.includes('\n') && start.length <= MAX_VALUE_CHARACTERS) return [];
      emptyLines += countLines(/^\s*/.exec(start)?.[0] ?? '');
      start = start.trimStart();
      if (!start.includes('\n') && start.length <= MAX_VALUE_CHARACTERS) return [];
      items = begin();
      return items.write(start);
    },
    end() {
      if (items !== null) return items.end();
      items = begin();
      return [...items.write(start), ...items.end()];
    },
  };
}

function createLines(emptyLines: number): Items {
  let pending = '';
  let line = emptyLines;

  function readLine(text: string): JsonItem[] {
    line += 1;
    if (text.trim() === '') return [];
    const value = parseObject(text);
    if (value === null) return objectsOf(text, line) ?? [{ line, text }];
    const list = listIn(value);
    return list === null ? [{ line, value }] : list.map((item) => toItem(line, item));
  }

  return {
    write(text) {
      const end = text.lastIndexOf('\n');
      if (end === -1) pending += text;
      const whole = end === -1 ? [] : (pending + text.slice(0, end)).split('\n');
      if (end !== -1) pending = text.slice(end + 1);
      if (pending.length > MAX_VALUE_CHARACTERS) throw tooLong(line + whole.length + 1);
      return whole.flatMap(readLine);
    },
    end() {
      const items = readLine(pending);
      if (items.some((item) => 'text' in item)) throw cutOff(line);
      return items;
    },
  };
}

/** Those of a line that has several, such as answers that were appended without a line break; null for any other line. */
function objectsOf(text: string, line: number): JsonItem[] | null {
  try {
    const values = createJsonValues(PAGES, line);
    const objects = values.write(text).map((item) => parseObject(item.text));
    if (values.openLine() !== null || objects.includes(null)) return null;
    return objects.flatMap((value) => (value === null ? [] : [{ line, value }]));
  } catch (error) {
    if (error instanceof ImportFileError) return null;
    throw error;
  }
}

/** The list in an answer of an API; null for an object that has none. */
function listIn(value: Readonly<Record<string, unknown>>): unknown[] | null {
  for (const page of PAGES) {
    let part: unknown = value;
    for (const key of page.split('.')) part = isObject(part) ? part[key] : undefined;
    if (Array.isArray(part)) return part;
  }
  return null;
}

function toItem(line: number, item: unknown): JsonItem {
  return isObject(item) ? { line, value: item } : { line, text: jsonText(item) };
}

function createValues(emptyLines: number): Items {
  const values = createJsonValues(PAGES, emptyLines + 1);
  return {
    write: (text) =>
      values.write(text).map(({ line, text }) => {
        const value = parseObject(text);
        return value === null ? { line, text } : { line, value };
      }),
    end() {
      const line = values.openLine();
      if (line !== null) throw cutOff(line);
      return [];
    },
  };
}

/** Control characters, which Bitly's answers may have within texts. */
const CONTROLS = /\p{Cc}/gu;

/** @returns null if the text is no JSON object. */
function parseObject(text: string): Record<string, unknown> | null {
  const value = parseJson(text) ?? parseJson(text.replaceAll(CONTROLS, ' '));
  return isObject(value) ? value : null;
}

/** @returns undefined for text that is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @returns `…` for lists within lists, thousands of them. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return '…';
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function cutOff(line: number): ImportFileError {
  return new ImportFileError(
    `The file ends within the JSON that begins in line ${line}: it is cut off. Export it again.`,
  );
}
