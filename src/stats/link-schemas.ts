import { type Static, Type } from 'typebox';
import { days } from '../server/days.ts';
import { Named, Nullable } from '../server/schemas.ts';
import { type Figures, type LinkFigures, OTHER_VISITORS, type OtherVisitor } from './link-stats.ts';

/** Query of `GET /v1/links/{shortCode}/stats`; `readDays` validates the days. */
export const ReadLinkStats = Type.Object(days);

const Day = Type.String({ description: 'In UTC, such as 2026-01-31' });
const Count = Type.Integer({ minimum: 0 });
const otherCounts = Object.fromEntries(OTHER_VISITORS.map((visitor) => [visitor, Count])) as Record<
  OtherVisitor,
  typeof Count
>;
const counted = { installs: Count, opens: Count, events: Count };
const figures = {
  clicks: Type.Integer({ minimum: 0, description: 'By humans' }),
  otherClicks: Named('OtherClicks', otherCounts, { description: 'By other kinds of visitors' }),
  ...counted,
};

/** Response of `GET /v1/links/{shortCode}/stats`. */
export const LinkStats = Named('LinkStats', {
  shortCode: Type.String(),
  from: Day,
  to: Day,
  totals: Named('LinkFigures', figures),
  byDay: Type.Array(Named('LinkDay', { day: Day, ...figures }), { description: 'Every day, in order' }),
  byPlatform: Type.Array(
    Named('LinkPlatform', {
      platform: Nullable(Type.Enum(['ANDROID', 'IOS'], { description: 'Null for neither' })),
      ...figures,
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
      ...figures,
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
  figures,
}: {
  shortCode: string;
  fromDay: string;
  toDay: string;
  figures: LinkFigures;
}): Static<typeof LinkStats> {
  return {
    shortCode,
    from: fromDay,
    to: toDay,
    totals: figures.totals,
    byDay: [...figures.byDay].map(([day, figures]) => ({ day, ...figures })),
    byPlatform: inOrder(figures.byPlatform).map(([platform, figures]) => ({
      platform: (platform || null) as LinkPlatform['platform'],
      ...figures,
    })),
    byMethod: inOrder(figures.byMethod).map(([method, { installs, opens, events }]) => ({
      method: method as LinkMethod['method'],
      installs,
      opens,
      events,
    })),
    byCampaign: inOrder(figures.byCampaign).map(([campaignId, figures]) => ({
      campaignId: campaignId || null,
      ...figures,
    })),
  };
}

function inOrder(groups: ReadonlyMap<string, Figures>): [string, Figures][] {
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
}
