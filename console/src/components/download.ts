/** Spreadsheets misread letters beyond ASCII in a CSV file that begins without it. */
export const BYTE_ORDER_MARK = '\ufeff';

/** Saves an answer as a file. @param data a Blob, whatever type the client gives it. */
export function download(data: unknown, name: string): void {
  if (!(data instanceof Blob)) throw new TypeError(`${name} is not a file`);
  const address = URL.createObjectURL(data);
  const anchor = document.createElement('a');
  anchor.href = address;
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(address), 1_000);
}

/** A file that takes an answer while it arrives. */
export interface FileTarget {
  /** @throws if the stream ends before its time; then nothing is saved. */
  save(stream: ReadableStream<Uint8Array>): Promise<void>;
}

interface SavingWindow {
  /** Chrome and Edge, where the page has TLS or is on this machine. */
  readonly showSaveFilePicker?: (options: { suggestedName: string }) => Promise<FileSystemFileHandle>;
}

/**
 * Of a large answer: straight to the file that the user chooses, where the browser can. Others keep it until it is whole,
 * as they keep what they have no room for in memory: Firefox in a file of its own, Safari in memory.
 * @param isLarge small ones go to the folder of downloads, without a question.
 * @returns null if the user chooses none.
 */
export async function chooseFile(name: string, isLarge: boolean): Promise<FileTarget | null> {
  const { showSaveFilePicker } = window as SavingWindow;
  if (!isLarge || showSaveFilePicker === undefined)
    return { save: async (stream) => download(await new Response(stream).blob(), name) };
  try {
    const handle = await showSaveFilePicker({ suggestedName: name });
    return { save: async (stream) => await stream.pipeTo(await handle.createWritable()) };
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return null;
    throw error;
  }
}
