import { createThroughline, type KeyValueStorage } from '@throughline/react-native';
import { Platform } from 'react-native';

export const throughline = createThroughline(
  {
    baseUrl: process.env.EXPO_PUBLIC_THROUGHLINE_URL ?? 'https://go.example.com',
    key: process.env.EXPO_PUBLIC_THROUGHLINE_KEY ?? 'svc_test_pub_us_0123456789abcdef',
  },
  Platform.OS === 'web' ? { storage: browserStorage() } : {},
);

/** A browser has `localStorage` without a module. */
function browserStorage(): KeyValueStorage {
  return {
    getItem: async (key) => localStorage.getItem(key),
    setItem: async (key, value) => localStorage.setItem(key, value),
    removeItem: async (key) => localStorage.removeItem(key),
  };
}
