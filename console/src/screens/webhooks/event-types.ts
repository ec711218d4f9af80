import type { Webhook } from '@generated/types.gen.ts';

export const EVENT_TYPES: readonly Webhook['events'][number][] = [
  'install.attributed',
  'install.organic',
  'install.network_attributed',
  'open.attributed',
  'open.direct',
  'event.recorded',
  'skan.postback_received',
  'host.problem',
  'host.recovered',
];
