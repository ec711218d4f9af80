/** Query parameters of the lists of clicks, installs, opens and events. */
import { Type } from 'typebox';
import { Id, OnlyThese, Text } from '../server/schemas.ts';
import { NETWORKS } from '../stats/index.ts';

const OR_NONE = 'empty: those without one';
const Moment = (description: string) => Type.Optional(Type.String({ maxLength: 40, description }));
const Exact = (description: string) => Type.Optional(Type.String({ maxLength: 255, description }));
const Yes = (description: string) => Type.Optional(Type.Enum(['true', 'false'], { description }));
/** A parameter that may be repeated: records with any of the values. */
const AnyOf = (values: readonly string[]) =>
  Type.Optional(
    Type.Array(Type.Enum([...values]), { maxItems: values.length, description: 'Repeated: any of them' }),
  );
const UserId = Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: 'In your system' }));

const common = {
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
  order: Type.Optional(
    Type.Enum(['asc', 'desc'], { default: 'desc', description: '`asc`: oldest first; `desc`: newest first' }),
  ),
  before: Type.Optional(
    Type.String({
      format: 'uuid',
      description: 'Only items older than that with this `id`: the last one of the previous page',
    }),
  ),
  after: Type.Optional(
    Type.String({
      format: 'uuid',
      description:
        'Only items newer than that with this `id`: with `order=asc` the last one of the previous page. Records that are still being stored appear later, also before it: to follow a list, read its last minute again',
    }),
  ),
  include: Type.Optional(
    Type.Enum(['total'], { description: '`total`: the number of matching records, in X-Total-Count' }),
  ),
  from: Moment('Time of recording, included, such as 2026-01-31T00:00:00Z'),
  to: Moment('Time of recording, excluded'),
  erasedSince: Moment('Those alone whose personal data was erased at this time or later'),
  shortCode: Exact(`Of the link, deleted ones included; ${OR_NONE}`),
  campaignId: Exact(`As in statistics; ${OR_NONE}`),
  platform: Type.Optional(
    Type.Enum(['ANDROID', 'IOS', ''], { description: 'Empty: those of other platforms' }),
  ),
  country: Type.Optional(Text('^([A-Z]{2})?$', `two letters, such as DE; ${OR_NONE}`)),
  referrer: Exact(`Host name, of the click; ${OR_NONE}`),
  utmSource: Exact(`Of the click; ${OR_NONE}`),
  utmMedium: Exact(`Of the click; ${OR_NONE}`),
  utmCampaign: Exact(`Of the click; ${OR_NONE}`),
  sandbox: Yes('true for sandbox records alone; the default is false, and true for a test key'),
};

const UUID = '[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}';
const METHODS = ['INSTALL_REFERRER', 'CLICK_ID', 'FINGERPRINT', 'ORGANIC'];
const versions = {
  platformVersion: Type.Optional(
    Text('^((ANDROID|IOS) [0-9]{1,9})?$', `a platform and its major version, such as IOS 18; ${OR_NONE}`),
  ),
  appVersion: Type.Optional(
    Type.String({ maxLength: 1_024, description: `Of the app, at the install or open; ${OR_NONE}` }),
  ),
};
const installId = { installId: Type.Optional(Id) };

export const ListClicks = OnlyThese({
  ...common,
  visitor: Type.Optional(Type.Enum(['human', 'all'], { default: 'human' })),
});
export const ListInstalls = OnlyThese({
  ...common,
  method: AnyOf(METHODS),
  ...versions,
  userId: UserId,
  hasRevenue: Yes('true: those with an event of positive revenue; false: those without'),
  existingUser: Yes('false: without existing users, as statistics count installs; true: those alone'),
  invitedBy: Type.Optional(Text(`^(${UUID})?$`, `the id of the install that made the link; ${OR_NONE}`)),
  network: Type.Optional(
    Type.Enum([...NETWORKS, ''], {
      description:
        'The ad network that claims the install; empty: those without. As in statistics, a live install with a `test` record has none',
    }),
  ),
  networkCampaign: Exact(`The campaign ID of that network; ${OR_NONE}`),
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        'The installs to which an id belongs: of an install, open, click or event, its first 8 characters or more, the `eventId` that the app sent, or a user ID',
    }),
  ),
});
export const ListOpens = OnlyThese({
  ...common,
  method: AnyOf([...METHODS, 'DIRECT']),
  ...versions,
  ...installId,
  userId: UserId,
});
export const ListEvents = OnlyThese({
  ...common,
  ...versions,
  ...installId,
  eventName: Type.Optional(
    Type.Array(Type.String({ maxLength: 255 }), { maxItems: 20, description: 'Repeated: any of them' }),
  ),
  userId: UserId,
  hasRevenue: Yes('true: those with revenue, refunds included; false: those without'),
});

/** All parameters of the lists; each has some of them. */
export interface ListInput {
  readonly limit?: number;
  readonly order?: 'asc' | 'desc';
  readonly before?: string;
  readonly after?: string;
  readonly include?: 'total';
  readonly from?: string;
  readonly to?: string;
  readonly erasedSince?: string;
  readonly shortCode?: string;
  readonly campaignId?: string;
  readonly platform?: string;
  readonly country?: string;
  readonly referrer?: string;
  readonly utmSource?: string;
  readonly utmMedium?: string;
  readonly utmCampaign?: string;
  readonly sandbox?: 'true' | 'false';
  readonly visitor?: 'human' | 'all';
  readonly method?: readonly string[];
  readonly platformVersion?: string;
  readonly appVersion?: string;
  readonly installId?: string;
  readonly eventName?: readonly string[];
  readonly userId?: string;
  readonly hasRevenue?: 'true' | 'false';
  readonly existingUser?: 'true' | 'false';
  readonly invitedBy?: string;
  readonly network?: string;
  readonly networkCampaign?: string;
  readonly q?: string;
}
