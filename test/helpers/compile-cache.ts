import { fileURLToPath } from 'node:url';

/** Hundreds of processes share one compile cache: a start takes one second instead of nearly two. */
export function useCompileCache(): void {
  process.env.NODE_COMPILE_CACHE ??= fileURLToPath(
    new URL('../../node_modules/.cache/compiled', import.meta.url),
  );
}
