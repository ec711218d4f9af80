import {
  type Config,
  createThroughline as createCore,
  type LinkSource,
  type Ports,
  type Throughline,
} from '@throughline/core';
import { createLinksOnly, memory } from '../links-only.ts';
import { logOf } from '../native/log.ts';
import { phoneOf, readDevice } from './device.ts';
import { pageLinks } from './links.ts';
import { tabStorage } from './storage.ts';

const SDK = 'throughline-capacitor/0.1.0';
const ON_COMPUTER =
  'This browser is on a computer, which no app store reaches: links are resolved, and neither an install nor events are recorded';

/** Core in a browser. Events that wait are sent when the page is hidden and when it is shown again. */
export function createWeb(config: Config, ports: Ports): Throughline {
  const platform = phoneOf();
  const links = flushing(ports.links ?? pageLinks(), () => void client.flush());
  const client: Throughline =
    platform === null
      ? createOnComputer(config, { sdk: SDK, ...ports, links })
      : createCore(config, { ...portsOfPhone(platform), ...ports, links });
  return client;
}

function portsOfPhone(platform: NonNullable<ReturnType<typeof phoneOf>>): Ports {
  const storage = tabStorage();
  return { device: async () => readDevice(platform), sdk: SDK, ...(storage !== null && { storage }) };
}

/** Its installs would look like those of phones behind the same address, and take their taps. */
function createOnComputer(config: Config, ports: Ports): Throughline {
  logOf(config)('warn', ON_COMPUTER);
  return createLinksOnly(config, { ...ports, storage: visitStorage() }, `${ON_COMPUTER}.`);
}

/** A link is one over reloads; the app's own storage may hold that the person agreed. */
function visitStorage(): NonNullable<Ports['storage']> {
  try {
    return window.sessionStorage;
  } catch {
    return memory();
  }
}

function flushing(links: LinkSource, flush: () => void): LinkSource {
  return {
    ...links,
    subscribe(listener) {
      const unsubscribe = links.subscribe(listener);
      document.addEventListener('visibilitychange', flush);
      return () => {
        document.removeEventListener('visibilitychange', flush);
        unsubscribe();
      };
    },
  };
}
