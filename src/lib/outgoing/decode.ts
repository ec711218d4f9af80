import { brotliDecompressSync, constants, gunzipSync, inflateSync } from 'node:zlib';

type Decompress = (body: Buffer, options: { maxOutputLength: number }) => Buffer;

/** What arrived of a body that is cut is decoded, too. */
const PARTIAL = { finishFlush: constants.Z_SYNC_FLUSH };
const DECODERS: Readonly<Record<string, Decompress>> = {
  gzip: (body, options) => gunzipSync(body, { ...PARTIAL, ...options }),
  deflate: (body, options) => inflateSync(body, { ...PARTIAL, ...options }),
  br: (body, options) =>
    brotliDecompressSync(body, { finishFlush: constants.BROTLI_OPERATION_FLUSH, ...options }),
};

/** Only a decompression bomb exceeds both. The whole output is made at once, and stops all meanwhile. */
const MAX_RATIO = 8;
const MAX_BEYOND_BYTES = 8 * 1024 * 1024;

/**
 * Some servers and proxies compress, although the request does not accept it.
 * @param maxBytes so much of the text is used.
 * @returns null for a body that is not compressed, or that cannot be decoded.
 */
export function decode(body: Buffer, encoding: string | undefined, maxBytes: number): Buffer | null {
  const name = (encoding ?? '').trim().toLowerCase().replace(/^x-/, '');
  if (!Object.hasOwn(DECODERS, name)) return null;
  try {
    const maxOutputLength = Math.min(MAX_RATIO * maxBytes, maxBytes + MAX_BEYOND_BYTES);
    return DECODERS[name]?.(body, { maxOutputLength }) ?? null;
  } catch {
    return null;
  }
}
