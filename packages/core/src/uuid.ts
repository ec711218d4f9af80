/** Asking the system for each ID alone takes most of the time of `track`. */
const POOL = 256;

/** @returns a maker of UUIDs of version 4, of the system's randomness where there is one. */
export function uuidSource(random: (() => number) | undefined): () => string {
  const pool = new Uint32Array(POOL);
  let used = POOL;

  function next(): string {
    if (used === POOL) {
      used = 0;
      if (random === undefined && typeof crypto === 'object') crypto.getRandomValues(pool);
      else for (let at = 0; at < POOL; at++) pool[at] = Math.floor((random ?? Math.random)() * 2 ** 32);
    }
    return (pool[used++] ?? 0).toString(16).padStart(8, '0');
  }

  return () => {
    const [one, two, three, four] = [next(), next(), next(), next()];
    const variant = '89ab'[Number.parseInt(three[0] ?? '0', 16) & 3];
    return `${one}-${two.slice(0, 4)}-4${two.slice(5)}-${variant}${three.slice(1, 4)}-${three.slice(4)}${four}`;
  };
}
