const BYTES = 16;
/** Asking the system for each ID alone takes most of the time of `track`. */
const POOL_BYTES = 64 * BYTES;
const HEX = Array.from({ length: 256 }, (_, byte) => (byte + 256).toString(16).slice(1));

/** @returns a maker of UUIDs of version 4, of the system's randomness where there is one. */
export function uuidSource(random: (() => number) | undefined): () => string {
  const pool = new Uint8Array(POOL_BYTES);
  let used = POOL_BYTES;

  function fill(): void {
    used = 0;
    if (random === undefined && typeof crypto === 'object') crypto.getRandomValues(pool);
    else for (let at = 0; at < POOL_BYTES; at++) pool[at] = Math.floor((random ?? Math.random)() * 256);
  }

  return () => {
    if (used === POOL_BYTES) fill();
    let text = '';
    for (let at = 0; at < BYTES; at++) {
      let byte = pool[used++] ?? 0;
      if (at === 6) byte = (byte & 15) | 64;
      if (at === 8) byte = (byte & 63) | 128;
      text += at === 4 || at === 6 || at === 8 || at === 10 ? `-${HEX[byte]}` : HEX[byte];
    }
    return text;
  };
}
