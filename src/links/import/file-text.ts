import { ImportFileError } from './imported-row.ts';

/** Beginnings of files that are no text, and what to do with them. */
const NO_TEXT = [
  {
    start: 'PK\x03\x04',
    message: 'The file is a ZIP archive or an Excel workbook. Unpack it, or save it as “CSV UTF-8”.',
  },
  { start: '\xD0\xCF\x11\xE0', message: 'The file is an Excel workbook. Save it as “CSV UTF-8”.' },
  { start: '\x1F\x8B', message: 'The file is compressed with gzip. Unpack it, and send the file within.' },
] as const;
const UTF_16 = ['\xFF\xFE', '\xFE\xFF'];
const UTF_16_MESSAGE =
  'The file is UTF-16, as Excel’s “Unicode Text” is. Save it as “CSV UTF-8”, and send it again.';
const SNIFFED_BYTES = 4;
/** Bytes of a character after its first one. */
const CONTINUATION = 0b1000_0000;
const CONTINUATION_MASK = 0b1100_0000;
/** In place of invalid bytes. */
const REPLACEMENT = '\uFFFD';

/** Decodes a file that comes in pieces: UTF-8, with or without a byte order mark. Line ends become `\n`. */
export function createFileText(): {
  /** @throws ImportFileError for other encodings and files that are no text. */
  write(chunk: Uint8Array): string;
  end(): string;
} {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let first: Uint8Array | null = new Uint8Array(0);
  let lines = 0;
  let endsWithCr = false;

  function decode(chunk: Uint8Array, isLast: boolean): string {
    let text: string;
    try {
      text = decoder.decode(chunk, { stream: !isLast });
    } catch {
      const line = lines + 1 + countLines(withoutCr(textBeforeInvalid(chunk)));
      throw new ImportFileError(
        `Line ${line} is not UTF-8. Save the file as “CSV UTF-8”, and send it again.`,
      );
    }
    if (text.includes('\0')) throw new ImportFileError(UTF_16_MESSAGE);
    const unified = withoutCr(text);
    lines += countLines(unified);
    return unified;
  }

  /** A CRLF may be divided between two pieces. */
  function withoutCr(text: string): string {
    const rest = endsWithCr && text.startsWith('\n') ? text.slice(1) : text;
    endsWithCr = text === '' ? endsWithCr : text.endsWith('\r');
    return rest.includes('\r') ? rest.replaceAll(/\r\n?/g, '\n') : rest;
  }

  function begin(chunk: Uint8Array, isLast: boolean): string {
    const bytes = joined(first ?? chunk, chunk);
    if (bytes.length < SNIFFED_BYTES && !isLast) {
      first = bytes;
      return '';
    }
    first = null;
    assertText(bytes);
    return decode(bytes, isLast);
  }

  return {
    write: (chunk) => (first === null ? decode(chunk, false) : begin(chunk, false)),
    end: () => (first === null ? decode(new Uint8Array(0), true) : begin(new Uint8Array(0), true)),
  };
}

/** Without `Buffer`: browsers read the beginnings of files with this module too. */
function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}

function assertText(bytes: Uint8Array): void {
  const start = String.fromCharCode(...bytes.subarray(0, SNIFFED_BYTES));
  const other = NO_TEXT.find((kind) => start.startsWith(kind.start));
  if (other !== undefined) throw new ImportFileError(other.message);
  if (UTF_16.some((mark) => start.startsWith(mark))) throw new ImportFileError(UTF_16_MESSAGE);
}

/** @param chunk with invalid bytes; it may begin within a character of the previous piece. */
function textBeforeInvalid(chunk: Uint8Array): string {
  const start = chunk.findIndex((byte) => (byte & CONTINUATION_MASK) !== CONTINUATION);
  const text = new TextDecoder().decode(chunk.subarray(Math.max(start, 0)));
  return text.slice(0, Math.max(text.indexOf(REPLACEMENT), 0));
}

export function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
