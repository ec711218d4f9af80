import type { Throughline } from '@throughline/core';
import { hrefOf } from './href.ts';

/**
 * The functions of Expo Router's `+native-intent`. A link becomes the path that the service names; other URLs stay as they
 * are. The deferred link comes by `useDeepLink`.
 */
export function createNativeIntent(client: Throughline): {
  redirectSystemPath(event: { path: string; initial: boolean }): Promise<string>;
} {
  return {
    async redirectSystemPath({ path }) {
      try {
        const link = await client.handleUrl(path);
        return link === null ? path : hrefOf(link);
      } catch {
        return path;
      }
    },
  };
}
