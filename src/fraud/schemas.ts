import { type Static, Type } from 'typebox';
import { days } from '../platform/http/days.ts';
import { Nullable } from '../platform/http/schemas.ts';
import { FINDING_CODES } from './assess-links.ts';
import type { LinkComparison } from './report-links.ts';

/** Query of `GET /v1/fraud/links`; the days are checked by `readDays`. */
export const ReportLinks = Type.Object(days);

const Day = Type.String({ description: 'In UTC, such as 2026-01-31' });
const Count = (description: string) => Type.Integer({ minimum: 0, description });
const Share = (description: string) => Nullable(Type.Number({ minimum: 0 }), { description });

const Finding = Type.Object({
  code: Type.Enum([...FINDING_CODES]),
  message: Type.String({ description: 'What is unusual, and what may be the cause' }),
});

const ReportedLink = Type.Object({
  shortCode: Type.String(),
  campaignId: Nullable(Type.String()),
  clicks: Count('Of humans'),
  toolClicks: Count('Of tools, which can be claimed too'),
  installs: Count('Attributed to the link'),
  share: Share('Installs per click of humans and tools'),
  ratio: Share('The share, divided by the ordinary share'),
  networks: Type.Object(
    {
      clicks: Count('Clicks of humans and tools in the sample'),
      distinct: Count('Networks that they came from'),
      largest: Count('Clicks from the network that most came from'),
      largestShare: Share('Its share of the clicks in the sample'),
    },
    { description: 'Among the newest 20,000 hits of the period' },
  ),
  findings: Type.Array(Finding, { description: 'What is suspicious; empty for an ordinary link' }),
});

/** Answer of `GET /v1/fraud/links`. */
export const LinksReport = Type.Object({
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
