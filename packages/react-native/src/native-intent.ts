import type { Throughline } from '@throughline/core';
import { hrefOf } from './href.ts';
import { launchIdOf } from './launch.ts';
import { findModules } from './modules.ts';

/** Expo Router renders nothing meanwhile; it waits as long for the URL itself. */
const FIRST_SCREEN_WAIT_MS = 150;

/**
 * The functions of Expo Router's `+native-intent`. A link becomes the path that the service names; other URLs stay as they
 * are. The first screen does not wait for consent, the storage or the network: where the service has not answered it is the
 * path that the URL tells, and `useDeepLink` gets the link with `correctionOf`. The deferred link comes by `useDeepLink` too.
 */
export function createNativeIntent(client: Throughline): {
  redirectSystemPath(event: { path: string; initial: boolean }): Promise<string>;
} {
  const first = { launchId: launchIdOf(findModules()), timeoutMs: FIRST_SCREEN_WAIT_MS };
  return {
    async redirectSystemPath({ path, initial }) {
      try {
        const link = await client.handleUrl(path, initial ? first : {});
        return link === null ? path : hrefOf(link);
      } catch {
        return path;
      }
    },
  };
}
