import {
  type Config,
  createThroughline as createCore,
  type Ports,
  type Throughline,
} from '@throughline/core';
import { readDevice } from './device.ts';
import { pageLinks } from './links.ts';
import { tabStorage } from './storage.ts';

const SDK = 'throughline-capacitor/0.1.0';

/** Core in a browser. Events that wait are sent when the page is hidden and when it is shown again. */
export function createWeb(config: Config, ports: Ports): Throughline {
  const storage = tabStorage();
  const { links = pageLinks(), ...rest } = ports;
  const client: Throughline = createCore(config, {
    device: async () => readDevice(),
    sdk: SDK,
    ...(storage !== null && { storage }),
    ...rest,
    links: {
      ...links,
      subscribe(listener) {
        const unsubscribe = links.subscribe(listener);
        const flush = () => void client.flush();
        document.addEventListener('visibilitychange', flush);
        return () => {
          document.removeEventListener('visibilitychange', flush);
          unsubscribe();
        };
      },
    },
  });
  return client;
}
