import {
  type Config,
  createThroughline as createCore,
  type Ports,
  type Throughline,
} from '@throughline/core';
import { memory } from './storage.ts';

export const ON_COMPUTER =
  'This is a computer, which no app store of phones reaches: links are resolved, and neither an install nor events are recorded';

/** Its installs would look like those of phones behind the same address, and take their taps, whatever the person agrees to. */
export function createOnComputer(config: Config, ports: Ports): Throughline {
  // Throws for another text than a consent.
  if (config.consent !== undefined) checkConsent(config);
  // What the app stores may hold that the person agreed.
  const client = createCore({ ...config, consent: 'denied' }, { ...ports, storage: memory() });
  return {
    ...client,
    setConsent: async (consent) => checkConsent({ ...config, consent }),
    explain: async () => ({ ...(await client.explain()), reason: `${ON_COMPUTER}.` }),
  };
}

function checkConsent(config: Config): void {
  createCore({ ...config, onLog: () => {} });
}
