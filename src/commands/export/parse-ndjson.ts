import { StartError } from '../../errors.ts';

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
