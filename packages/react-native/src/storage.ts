import type { KeyValueStorage } from '@throughline/core';
import { Platform } from 'react-native';
import type { Modules } from './modules.ts';

/** The prefix of the keys of core. */
const OWN = 'throughline.';
const INSTALLED_AT = `${OWN}installed-at`;
/** A native module that hangs must not keep the app from its links. */
const READ_TIMEOUT_MS = 2_000;

/**
 * AsyncStorage, else memory. Android restores AsyncStorage at a reinstall and on a new phone, which are new installs: what
 * an earlier installation stored is erased before the first read.
 */
export function storageOf(modules: Modules): KeyValueStorage {
  const { asyncStorage } = modules;
  if (asyncStorage === null) return memory();
  if (Platform.OS !== 'android') return asyncStorage;
  const known = onAndroid.get(asyncStorage);
  const storage = known ?? withoutRestored(asyncStorage, modules);
  onAndroid.set(asyncStorage, storage);
  return storage;
}

/** One for all clients: by it core knows a second client on the same storage. */
const onAndroid = new WeakMap<object, KeyValueStorage>();

function withoutRestored(
  asyncStorage: NonNullable<Modules['asyncStorage']>,
  modules: Modules,
): KeyValueStorage {
  let ready: Promise<void> | null = null;
  const whenReady = () => {
    ready ??= eraseRestored(asyncStorage, () => installedAt(modules)).catch((cause) => {
      ready = null;
      throw cause;
    });
    return ready;
  };
  return {
    getItem: async (key) => {
      await whenReady();
      return await asyncStorage.getItem(key);
    },
    setItem: (key, value) => asyncStorage.setItem(key, value),
    removeItem: (key) => asyncStorage.removeItem(key),
  };
}

/** The time is stored last: a kill in between erases the rest at the next start. */
async function eraseRestored(
  storage: NonNullable<Modules['asyncStorage']>,
  readInstalledAt: () => Promise<string | null>,
): Promise<void> {
  const [stored, current] = await Promise.all([storage.getItem(INSTALLED_AT), readInstalledAt()]);
  if (current === null || current === stored) return;
  if (stored !== null)
    for (const key of await storage.getAllKeys())
      if (key.startsWith(OWN) && key !== INSTALLED_AT) await storage.removeItem(key);
  await storage.setItem(INSTALLED_AT, current);
}

/** When the app was installed, in milliseconds since 1970; an update keeps it. Null if unknown. */
async function installedAt({ expoApplication, deviceInfo }: Modules): Promise<string | null> {
  const read = async () =>
    expoApplication === null
      ? await deviceInfo?.getFirstInstallTime()
      : (await expoApplication.getInstallationTimeAsync()).getTime();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, READ_TIMEOUT_MS, undefined);
  });
  const ms = await Promise.race([read().catch(() => undefined), timeout]);
  clearTimeout(timer);
  return ms !== undefined && ms > 0 ? String(ms) : null;
}

export function memory(): KeyValueStorage {
  const values = new Map<string, string>();
  return {
    getItem: async (key) => values.get(key) ?? null,
    setItem: async (key, value) => values.set(key, value),
    removeItem: async (key) => values.delete(key),
  };
}
