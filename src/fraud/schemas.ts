import { type Static, Type } from 'typebox';
import { days } from '../server/days.ts';
import { Named, Nullable, OnlyThese } from '../server/schemas.ts';
import { FINDING_CODES } from './assess-links.ts';
import type { LinkComparison } from './report-links.ts';

/** Query of `GET /v1/fraud/links`; the days are checked by `readDays`. */
export const ReportLinks = OnlyThese(days);

const Day = Type.String({ description: 'In UTC, such as 2026-01-31' });
const Count = (description: string) => Type.Integer({ minimum: 0, description });
const Share = (description: string) => Nullable(Type.Number({ minimum: 0 }), { description });

const Finding = Named('LinkFinding', {
  code: Type.Enum([...FINDING_CODES]),
  message: Type.String({ description: 'The anomaly and its possible causes' }),
});

const ReportedLink = Named('ReportedLink', {
  shortCode: Type.String(),
  campaignId: Nullable(Type.String()),
  clicks: Count('Human clicks'),
  toolClicks: Count('Clicks of tools, which can also be claimed'),
  installs: Count('Attributed to the link'),
  share: Share('Installs per click of humans and tools'),
  ratio: Share('share divided by ordinaryShare'),
  networks: Named(
    'LinkNetworks',
    {
      clicks: Count('Clicks of humans and tools in the sample'),
      distinct: Count('Number of networks'),
      largest: Count('Clicks from the most frequent network'),
      largestShare: Share('Share of the most frequent network'),
    },
    { description: 'Among the newest 20,000 hits of the period' },
  ),
  findings: Type.Array(Finding, { description: 'Empty for an ordinary link' }),
});

/** Answer of `GET /v1/fraud/links`. */
export const LinksReport = Named('LinksReport', {
  from: Day,
  to: Day,
  ordinaryShare: Share(
    'Installs per click of the median link with 30 clicks or more; null for fewer than three such links',
  ),
  linksCompared: Count('Links with clicks'),
  links: Type.Array(ReportedLink, { description: 'The most suspicious first, at most 100' }),
});

export function presentReport(comparison: LinkComparison): Static<typeof LinksReport> {
  const { fromDay, toDay, ordinaryShare, linksCompared, links } = comparison;
  return {
    from: fromDay,
    to: toDay,
    ordinaryShare: rounded(ordinaryShare),
    linksCompared,
    links: links.map(({ networks, share, findings, ...link }) => ({
      ...link,
      share: rounded(share),
      ratio: share === null || ordinaryShare === null ? null : rounded(share / ordinaryShare),
      networks: {
        ...networks,
        largestShare: networks.clicks === 0 ? null : rounded(networks.largest / networks.clicks),
      },
      findings: [...findings],
    })),
  };
}

function rounded(share: number | null): number | null {
  return share === null ? null : Number(share.toPrecision(4));
}
