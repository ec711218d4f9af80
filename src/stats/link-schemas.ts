import { type Static, Type } from 'typebox';
import { days } from '../server/days.ts';
import { Named, Nullable } from '../server/schemas.ts';
import { type LinkMetrics, OTHER_VISITORS, type LinkStats as Stats } from './read-link-stats.ts';

/** Query of `GET /v1/links/{shortCode}/stats`; `readDays` validates the days. */
export const ReadLinkStats = Type.Object(days);

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

/** Response of `GET /v1/links/{shortCode}/stats`. */
export const LinkStats = Named('LinkStats', {
  shortCode: Type.String(),
  from: Day,
  to: Day,
  totals: Named('LinkMetrics', metrics),
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

type LinkPlatform = Static<typeof LinkStats>['byPlatform'][number];
type LinkMethod = Static<typeof LinkStats>['byMethod'][number];

/** Groups are sorted by name, null first. */
export function presentLinkStats({
  shortCode,
  fromDay,
  toDay,
  totals,
  ...groups
}: Stats): Static<typeof LinkStats> {
  return {
    ...{ shortCode, from: fromDay, to: toDay, totals },
    byDay: [...groups.byDay].map(([day, metrics]) => ({ day, ...metrics })),
    byPlatform: inOrder(groups.byPlatform).map(([platform, metrics]) => ({
      platform: (platform || null) as LinkPlatform['platform'],
      ...metrics,
    })),
    byMethod: inOrder(groups.byMethod).map(([method, { installs, opens, events }]) => ({
      ...{ method: method as LinkMethod['method'], installs, opens, events },
    })),
    byCampaign: inOrder(groups.byCampaign).map(([campaignId, metrics]) => ({
      campaignId: campaignId || null,
      ...metrics,
    })),
  };
}

function inOrder(groups: ReadonlyMap<string, LinkMetrics>): [string, LinkMetrics][] {
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
}
