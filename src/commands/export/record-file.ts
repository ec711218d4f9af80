/** What an export reads and writes. */
import { open } from 'node:fs/promises';
import { StartError } from '../../errors.ts';

export type Pieces = AsyncIterable<string | Uint8Array>;

/** @param output named in errors. @param draft the file to write. */
export async function writeFile(output: string, draft: string, pieces: Pieces): Promise<void> {
  const failed = (error: unknown): never => {
    const { message } = error as Error;
    throw new StartError(
      `Failed to write ${output}: ${message}. Correct that, or name another file, and run the command again.`,
    );
  };
  const file = await open(draft, 'w').catch(failed);
  try {
    for await (const piece of pieces) await file.writeFile(piece).catch(failed);
    // A pipe has nothing to sync.
    if ((await file.stat()).isFile()) await file.sync().catch(failed);
  } finally {
    await file.close();
  }
}

/** The objects of each piece of NDJSON, as it arrives. @throws StartError if the last line is not complete. */
export async function* parseNdjson(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<readonly object[]> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of bytes) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (lines.length > 0) yield lines.map((line) => JSON.parse(line) as object);
  }
  if (rest !== '') throw new StartError('The last record is not complete. Run the command again.');
}
