import { ImportFileError } from './imported-row.ts';

/** Longer ones are no links. */
export const MAX_VALUE_CHARACTERS = 1024 * 1024;
const MAX_DEPTH = 64;
/** Of a key that is compared. */
const MAX_KEY_CHARACTERS = 256;

interface Value {
  readonly line: number;
  readonly text: string;
}

/**
 * Finds the texts of objects in JSON that comes in pieces, and keeps one at a time: objects one after another or in a list, or
 * those in the lists of an API's answers.
 * @param pages keys that lead to the list in an answer.
 * @param firstLine of the text in the file.
 */
export function createJsonValues(
  pages: readonly string[],
  firstLine: number,
): {
  /** @throws ImportFileError for text that is no JSON. */
  write(text: string): Value[];
  /** Where an object or list begins that has not ended; null without. */
  openLine(): number | null;
} {
  const strings = createStrings();
  /** Objects and lists around, with the key in each object. */
  const around: { readonly end: string; key: string }[] = [];
  let line = firstLine;
  let openLine = firstLine;
  /** The object that is kept, by the number of those around it. */
  let kept: { readonly depth: number; readonly line: number; before: string; start: number } | null = null;
  /** The answer whose list was found. */
  let page: { readonly depth: number; readonly listDepth: number; hasEnded: boolean } | null = null;

  /** Whether objects at this place are links or answers. */
  const isAmongObjects = () =>
    page === null ? around.length <= 1 : !page.hasEnded && around.length === page.listDepth;

  function open(character: string, at: number): void {
    if (around.length === 0) openLine = line;
    if (around.length >= MAX_DEPTH)
      throw new ImportFileError(`Line ${line} has JSON of more than ${MAX_DEPTH} levels. Remove the row.`);
    if (character === '{' && kept === null && isAmongObjects())
      kept = { depth: around.length, line, before: '', start: at };
    else if (character === '[' && kept !== null && page === null) {
      const keys = around.slice(kept.depth).map(({ key }) => key);
      if (pages.includes(keys.join('.'))) {
        page = { depth: kept.depth, listDepth: around.length + 1, hasEnded: false };
        kept = null;
      }
    }
    around.push({ end: character === '{' ? '}' : ']', key: '' });
  }

  function close(character: string, text: string, at: number): Value | null {
    if (around.pop()?.end !== character) throw noJson(line);
    // What follows the list in its answer, such as the number of pages, is no link.
    if (page !== null && around.length < page.listDepth) page.hasEnded = true;
    if (page?.depth === around.length) page = null;
    if (kept?.depth !== around.length) return null;
    const value = { line: kept.line, text: kept.before + text.slice(kept.start, at + 1) };
    kept = null;
    return value;
  }

  /** @returns the object that the character ends. */
  function take(character: string, text: string, at: number): Value | null {
    if (character === '{' || character === '[') open(character, at);
    else if (character === '}' || character === ']') return close(character, text, at);
    else if (character === ':') {
      const last = around.at(-1);
      if (last !== undefined) last.key = strings.last();
    } else if (kept === null && isAmongObjects() && !/[\s,]/.test(character)) throw noJson(line);
    return null;
  }

  return {
    write(text) {
      const values: Value[] = [];
      strings.begin();
      for (let at = 0; at < text.length; at++) {
        const character = text.charAt(at);
        if (character === '\n') line += 1;
        if (strings.take(character, text, at)) continue;
        const value = take(character, text, at);
        if (value !== null) values.push(value);
      }
      strings.suspend(text);
      if (kept !== null) {
        kept.before += text.slice(kept.start);
        kept.start = 0;
        if (kept.before.length > MAX_VALUE_CHARACTERS) throw tooLong(kept.line);
      }
      return values;
    },
    openLine: () => (around.length === 0 ? null : (kept?.line ?? openLine)),
  };
}

/** Knows which characters are within quotes, and the last text that was. */
function createStrings() {
  let isInside = false;
  let isEscaped = false;
  let before = '';
  let start = 0;
  let last = '';
  return {
    begin() {
      start = 0;
    },
    /** @returns whether the character belongs to a string. */
    take(character: string, text: string, at: number): boolean {
      if (!isInside) {
        if (character !== '"') return false;
        isInside = true;
        before = '';
        start = at + 1;
      } else if (isEscaped) isEscaped = false;
      else if (character === '\\') isEscaped = true;
      else if (character === '"') {
        isInside = false;
        last = before + text.slice(start, at);
      }
      return true;
    },
    suspend(text: string) {
      if (isInside && before.length < MAX_KEY_CHARACTERS) before += text.slice(start);
    },
    last: () => last,
  };
}

function noJson(line: number): ImportFileError {
  return new ImportFileError(
    `Line ${line} is no JSON object. Send one link a line, or the answers of the service’s API as they are.`,
  );
}

export function tooLong(line: number): ImportFileError {
  return new ImportFileError(`Line ${line}: an object is longer than 1 MiB. Send one link a line.`);
}
