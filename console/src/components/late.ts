/**
 * Code of popups and dialogs, which the first screen does without. It is fetched while the page reads nothing, so that
 * the first opening need not wait. `lazy` would wait even then: React shows a placeholder for 300 ms at least.
 */
import { useIsFetching } from '@tanstack/react-query';
import { useEffect, useState } from 'react';

const QUIET_MS = 300;

export interface Late<Code> {
  /** Null until it is loaded. */
  get(): Code | null;
  load(): Promise<Code>;
}

/** @param fetchCode usually an `import()`. */
export function late<Code>(fetchCode: () => Promise<Code>): Late<Code> {
  let loading: Promise<Code> | null = null;
  let loaded: Code | null = null;
  return {
    get: () => loaded,
    async load() {
      loading ??= fetchCode();
      try {
        loaded = await loading;
        return loaded;
      } catch (error) {
        loading = null;
        throw error;
      }
    },
  };
}

/** @returns null until the code is loaded: when it is needed, and before that while the page is quiet. */
export function useLate<Code>(code: Late<Code>, isNeeded: boolean): Code | null {
  const reads = useIsFetching();
  const [, setLoaded] = useState(false);
  useEffect(() => {
    if (code.get() !== null || isNeeded || reads > 0) return;
    // A failure shows once the code is needed.
    const timer = setTimeout(() => void code.load().catch(() => undefined), QUIET_MS);
    return () => clearTimeout(timer);
  }, [code, isNeeded, reads]);
  useEffect(() => {
    if (code.get() !== null || !isNeeded) return;
    const fail = (error: unknown) =>
      setLoaded(() => {
        throw error;
      });
    code.load().then(() => setLoaded(true), fail);
  }, [code, isNeeded]);
  return code.get();
}
