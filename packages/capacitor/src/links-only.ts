import {
  type Config,
  createThroughline as createCore,
  type Ports,
  type Throughline,
} from '@throughline/core';

/**
 * A client that resolves links and records nothing, whatever the person agrees to.
 * @param why what `explain` says.
 */
export function createLinksOnly(config: Config, ports: Ports, why: string): Throughline {
  if (config.consent !== undefined) checkConsent(config);
  const client = createCore({ ...config, consent: 'denied' }, ports);
  return {
    ...client,
    setConsent: async (consent) => checkConsent({ ...config, consent }),
    explain: async () => ({ ...(await client.explain()), reason: why }),
  };
}

/** @throws TypeError for a text that is no consent. */
export function checkConsent(config: Config): void {
  createCore({ ...config, onLog: () => {} });
}

export function memory(): NonNullable<Ports['storage']> {
  const values = new Map<string, string>();
  return {
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => values.set(key, value),
    removeItem: (key) => values.delete(key),
  };
}
