import type { KeyValueStorage } from '../../../core/src/index.ts';

export type StorageFault = 'hangs' | 'throws once' | 'synchronous' | 'full';

export interface FaultyStorage {
  readonly port: KeyValueStorage;
  fault: StorageFault | null;
}

/** A storage that fails as the scenario says. `synchronous` needs one whose functions have done all when they return. */
export function faultyStorage(
  storage: KeyValueStorage & { readonly atOnce?: KeyValueStorage },
): FaultyStorage {
  const of = (fault: StorageFault | null) =>
    fault === 'synchronous' && storage.atOnce !== undefined ? storage.atOnce : storage;
  function writable(): KeyValueStorage {
    if (faulty.fault === 'full') throw new Error('full');
    return of(faulty.fault);
  }
  const faulty: FaultyStorage = {
    fault: null,
    port: {
      getItem(key) {
        const { fault } = faulty;
        if (fault === 'hangs') return new Promise(() => undefined);
        if (fault === 'throws once') {
          faulty.fault = null;
          throw new Error('busy');
        }
        return of(fault).getItem(key);
      },
      setItem: (key, value) => writable().setItem(key, value),
      removeItem: (key) => writable().removeItem(key),
    },
  };
  return faulty;
}
