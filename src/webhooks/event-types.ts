/** In the order of the documentation. */
export const EVENT_TYPES = [
  'install.attributed',
  'install.organic',
  'open.attributed',
  'open.direct',
  'event.recorded',
  'skan.postback_received',
  'test.webhook',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];
