import type { LinkRule } from '@generated/types.gen.ts';
import type { Places } from './tester.tsx';
import { outcomeOf, type TriedLink, type Visitor } from './try-rules.ts';
import { formatPercent, placeName, ruleName } from './words.ts';

/** What a visitor, or a share of those who are alike, gets. */
export function Gets({
  link,
  app,
  rule,
  place,
  visitor,
  percent,
}: {
  link: TriedLink;
  app: Places;
  /** Null: none wins. */
  rule: LinkRule | null;
  place: number | null;
  visitor: Visitor;
  percent: number;
}) {
  const { destination, deepLinkPath, deepLinkParams, campaignId, isExpired } = outcomeOf(
    link,
    rule,
    app,
    visitor,
  );
  const params = Object.entries(deepLinkParams);
  return (
    <div className="border-l-2 border-accent pl-3">
      <p className="text-lead font-semibold">
        {percent < 100 && `${formatPercent(percent)}: `}
        {rule === null || place === null ? 'The link itself' : `${ruleName(rule, place)}, wins`}
      </p>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 pt-1 max-phone:grid-cols-1 max-phone:gap-y-0">
        <dt className="text-ink-2">Leads to</dt>
        <dd className="[overflow-wrap:anywhere]">
          {destination === null ? (
            isExpired ? (
              'A page that says the link has ended'
            ) : (
              'Nowhere: neither rule, link nor app has a place'
            )
          ) : (
            <code title={placeName(destination)}>{destination}</code>
          )}
          {isExpired && destination !== null && ', since the link has ended'}
        </dd>
        <dt className="text-ink-2">Screen of the app</dt>
        <dd className="[overflow-wrap:anywhere]">
          <code>{deepLinkPath === '' ? '…' : deepLinkPath}</code>
        </dd>
        <dt className="text-ink-2">Parameters</dt>
        <dd className="[overflow-wrap:anywhere]">
          {params.length === 0 ? (
            'None'
          ) : (
            <code>
              {params
                .map(
                  ([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
                )
                .join(', ')}
            </code>
          )}
        </dd>
        <dt className="text-ink-2">Campaign</dt>
        <dd className="[overflow-wrap:anywhere]">{campaignId ?? 'None'}</dd>
      </dl>
    </div>
  );
}
