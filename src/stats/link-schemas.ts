/** `GET /v1/links/{shortCode}/stats`. */
import { Type } from 'typebox';
import { days } from '../server/days.ts';
import { Named, Nullable, OnlyThese } from '../server/schemas.ts';

/** Kinds of visitors that are not human. */
export const OTHER_VISITORS = ['tool', 'crawler', 'preview', 'prefetch', 'embedded', 'head'] as const;

/** `readDays` validates the days. */
export const ReadLinkStats = OnlyThese(days);

const Day = Type.String({ description: 'In UTC, such as 2026-01-31' });
const Count = Type.Integer({ minimum: 0 });
const otherCounts = Object.fromEntries(OTHER_VISITORS.map((visitor) => [visitor, Count])) as Record<
  (typeof OTHER_VISITORS)[number],
  typeof Count
>;
const counted = { installs: Count, opens: Count, events: Count };
const metrics = {
  clicks: Type.Integer({ minimum: 0, description: 'By humans' }),
  otherClicks: Named('OtherClicks', otherCounts, { description: 'By other kinds of visitors' }),
  ...counted,
};

export const LinkMetrics = Named('LinkMetrics', metrics);

export const LinkStats = Named('LinkStats', {
  shortCode: Type.String(),
  from: Day,
  to: Day,
  totals: LinkMetrics,
  byDay: Type.Array(Named('LinkDay', { day: Day, ...metrics }), { description: 'Every day, in order' }),
  byPlatform: Type.Array(
    Named('LinkPlatform', {
      platform: Nullable(Type.Enum(['ANDROID', 'IOS'], { description: 'Null for neither' })),
      ...metrics,
    }),
  ),
  byMethod: Type.Array(
    Named('LinkMethod', {
      method: Type.Enum(['INSTALL_REFERRER', 'CLICK_ID', 'FINGERPRINT', 'DIRECT']),
      ...counted,
    }),
    {
      description: 'By attribution method; events by that of their install',
    },
  ),
  byCampaign: Type.Array(
    Named('LinkCampaign', {
      campaignId: Nullable(Type.String({ description: 'The link’s at the time of the click' })),
      ...metrics,
    }),
  ),
});
