import type { KeyValueStorage } from '@throughline/core';

const LOCK = 'throughline';

/** One for all clients of the page: by it core knows a second client on the same storage. */
let storage: KeyValueStorage | null = null;

/**
 * `localStorage`, for one tab at a time: two would overwrite each other's events. In the other tabs it fails until the first
 * one is closed, and core works in memory. Null if the person keeps sites from storing.
 */
export function tabStorage(): KeyValueStorage | null {
  storage ??= open();
  return storage;
}

function open(): KeyValueStorage | null {
  let local: Storage;
  try {
    local = window.localStorage;
  } catch {
    return null;
  }
  return {
    async getItem(key) {
      if (!(await takeLock()))
        throw new Error('another tab of this app has the storage; this one writes once the other is closed');
      return local.getItem(key);
    },
    setItem: (key, value) => local.setItem(key, value),
    removeItem: (key) => local.removeItem(key),
  };
}

let lock: Promise<boolean> | null = null;

/** Until the page ends. A page without a secure origin has no locks. */
async function takeLock(): Promise<boolean> {
  if (navigator.locks === undefined) return true;
  const taking =
    lock ??
    new Promise<boolean>((resolve) => {
      void navigator.locks.request(LOCK, { ifAvailable: true }, (held) => {
        resolve(held !== null);
        return held === null ? undefined : new Promise(() => {});
      });
    });
  lock = taking;
  const isTaken = await taking;
  if (!isTaken && lock === taking) lock = null;
  return isTaken;
}
