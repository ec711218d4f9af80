import { Type } from 'typebox';
import { Text } from '../server/schemas.ts';

/** PostgreSQL refuses NUL in a parameter. */
const FilterText = Text('^[^\\u0000]{1,255}$', '1 to 255 characters without NUL');

export const ReadLive = Type.Object({
  type: Type.Optional(
    Type.Enum(['click', 'install', 'open', 'event'], { description: 'Records of this kind alone' }),
  ),
  appId: Type.Optional({
    ...FilterText,
    description: 'The app of a session, in place of the header X-App-Id',
  }),
  shortCode: Type.Optional(FilterText),
  campaignId: Type.Optional(FilterText),
  sandbox: Type.Optional(
    Type.Enum(['true', 'false'], {
      description: 'true for sandbox records alone; the default is false, and true for a test key',
    }),
  ),
});

export const LiveMessages = Type.Unsafe<never>({
  description:
    'Messages without an event name carry a record: the item of its list with `type` (`click`, `install`, `open` or `event`). `heartbeat` carries `{ "at" }`, the time of the service; `lost` carries `{ "count" }`, the number of records left out, null if unknown.',
  content: { 'text/event-stream': { schema: { type: 'string' } } },
});
