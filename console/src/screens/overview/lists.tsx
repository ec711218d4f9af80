import type { Stats, StatsGroup } from '@generated/types.gen.ts';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { Empty, Section } from '../../components/page.tsx';
import { Pane } from '../../components/pane.tsx';
import { RankedColumns, RankedList, type RankedRow } from '../../components/ranked-list.tsx';
import { formatCount, formatCountry, formatShare, METHODS, type Method } from '../../formats.ts';
import { momentsOf, periodOf } from '../../stats/period.ts';
import { type Dimension, filtersOf, type OverviewSearch, useStats } from './use-stats.ts';

const route = getRouteApi('/$appId/');

/** Where a row leads: it narrows the page down, or opens its records. */
type Lead =
  | { readonly filter: OverviewSearch }
  | { readonly country: string }
  | { readonly method: string }
  | null;

export function LinkList({ search }: { search: OverviewSearch }) {
  const { appId } = route.useParams();
  return (
    <Section title="Links" aside={<RankedColumns names={['Clicks', 'Installs']} />}>
      <Groups
        search={search}
        groupBy="link"
        nameOf={(key) => (key === null ? 'without a link' : `/${key}`)}
        leadOf={(key) => (key === null ? null : { filter: { shortCode: key } })}
      />
      <div className="meta pt-2">
        <Link to="/$appId/links" params={{ appId }} className="link">
          All links
        </Link>
      </div>
    </Section>
  );
}

const CAMPAIGN_TABS = [
  ['campaign', 'Campaigns'],
  ['utmSource', 'Sources'],
  ['referrer', 'Referrers'],
] as const;

export function CampaignList({ search }: { search: OverviewSearch }) {
  const [tab, setTab] = useState<(typeof CAMPAIGN_TABS)[number][0]>('campaign');
  return (
    <Section
      title={<Tabs tabs={CAMPAIGN_TABS} chosen={tab} onPick={setTab} />}
      aside={<RankedColumns names={['Clicks', 'Installs']} />}
    >
      <Groups
        key={tab}
        search={search}
        groupBy={tab}
        nameOf={(key) => key ?? 'none'}
        leadOf={(key) => (key === null || tab !== 'campaign' ? null : { filter: { campaignId: key } })}
      />
    </Section>
  );
}

const COUNTRY_TABS = [
  ['country', 'Countries'],
  ['platform', 'Platforms'],
] as const;

export function CountryList({ search }: { search: OverviewSearch }) {
  const [tab, setTab] = useState<(typeof COUNTRY_TABS)[number][0]>('country');
  const isCountry = tab === 'country';
  return (
    <Section
      title={<Tabs tabs={COUNTRY_TABS} chosen={tab} onPick={setTab} />}
      aside={<RankedColumns names={['Clicks', 'Installs']} />}
    >
      <Groups
        key={tab}
        search={search}
        groupBy={tab}
        nameOf={(key, label) => (isCountry ? formatCountry(key) : key === null ? 'Neither phone' : label)}
        leadOf={(key) => {
          if (key === null) return null;
          return isCountry ? { country: key } : { filter: { platform: key } };
        }}
      />
      {isCountry && (
        <p className="meta pt-2 text-right">
          Countries by{' '}
          <a className="link" href="https://db-ip.com" rel="noreferrer" target="_blank">
            DB-IP
          </a>
          , CC BY 4.0
        </p>
      )}
    </Section>
  );
}

const CERTAINTY: Readonly<Record<string, string>> = {
  INSTALL_REFERRER: 'named by Play, certain',
  CLICK_ID: 'passed by the app, certain',
  FINGERPRINT: 'probable, 70 % or more',
  ORGANIC: 'no click fits',
};

export function MethodList({ search }: { search: OverviewSearch }) {
  const { appId } = route.useParams();
  return (
    <Section title="How installs were matched" aside={<RankedColumns names={['Installs', 'Share']} />}>
      <Groups
        search={search}
        groupBy="method"
        nameOf={(key) => METHODS[key as Method] ?? 'Other'}
        moreOf={(key) => CERTAINTY[key ?? ''] ?? null}
        leadOf={(key) => (key === null ? null : { method: key })}
        isOfInstalls
      />
      <div className="meta pt-2">
        <Link
          to="/$appId/installs"
          params={{ appId }}
          search={{ ...momentsOf(periodOf(search)), ...filtersOf(search) }}
          className="link"
        >
          All installs, each with its reason
        </Link>
      </div>
    </Section>
  );
}

function Tabs<T extends string>({
  tabs,
  chosen,
  onPick,
}: {
  tabs: readonly (readonly [T, string])[];
  chosen: T;
  onPick: (tab: T) => void;
}) {
  return (
    <h2 className="tabs">
      {tabs.map(([tab, name]) => (
        <button key={tab} type="button" aria-pressed={tab === chosen} onClick={() => onPick(tab)}>
          {name}
        </button>
      ))}
    </h2>
  );
}

interface GroupsProps {
  readonly search: OverviewSearch;
  readonly groupBy: Dimension;
  readonly nameOf: (key: string | null, label: string) => string;
  readonly moreOf?: (key: string | null) => string | null;
  readonly leadOf: (key: string | null) => Lead;
  /** Whether the bars are installs; else clicks. */
  readonly isOfInstalls?: boolean;
}

function Groups(props: GroupsProps) {
  const read = useStats(props.search, { groupBy: props.groupBy });
  return (
    <Pane read={read} rows={7}>
      {(stats, isOld) => <GroupRows {...props} stats={stats} isOld={isOld} />}
    </Pane>
  );
}

function GroupRows({ stats, isOld, ...props }: GroupsProps & { stats: Stats; isOld: boolean }) {
  const { search, isOfInstalls = false } = props;
  const sizeOf = (group: StatsGroup) => (isOfInstalls ? group.installs : group.clicks);
  const groups = stats.groups.filter(
    (group) => group.clicks + group.installs > 0 && (!isOfInstalls || group.installs > 0),
  );
  const largest = Math.max(1, ...groups.map(sizeOf));
  if (groups.length === 0) return <NoGroups search={search} />;
  const leads = new Map(groups.map(({ key }) => [String(key), props.leadOf(key)]));
  const rows = groups.map((group): RankedRow => {
    const lead = leads.get(String(group.key)) ?? null;
    return {
      key: String(group.key),
      name: props.nameOf(group.key, group.label),
      more: props.moreOf?.(group.key) ?? null,
      isMuted: group.key === null || group.key === 'ORGANIC',
      share: sizeOf(group) / largest,
      figures: isOfInstalls
        ? [formatCount(group.installs), formatShare(group.installs / Math.max(1, stats.totals.installs))]
        : [formatCount(group.clicks), formatCount(group.installs)],
      ...(lead !== null && { action: 'filter' in lead ? 'Only this' : 'Its installs' }),
    };
  });
  return (
    <RankedList
      rows={rows}
      isOld={isOld}
      wrap={({ key }, content, className) => (
        <Leading lead={leads.get(key) ?? null} search={search} className={className}>
          {content}
        </Leading>
      )}
    />
  );
}

function Leading({
  lead,
  search,
  className,
  children,
}: {
  lead: Lead;
  search: OverviewSearch;
  className: string;
  children: ReactNode;
}) {
  const { appId } = route.useParams();
  if (lead === null) return <div className={className}>{children}</div>;
  const common = { params: { appId }, className, activeOptions: { exact: true, includeSearch: true } };
  if ('filter' in lead)
    return (
      <Link to="/$appId" search={{ ...search, ...lead.filter }} {...common}>
        {children}
      </Link>
    );
  const narrowed = { ...momentsOf(periodOf(search)), ...filtersOf(search), ...lead };
  return (
    <Link to="/$appId/installs" search={narrowed} {...common}>
      {children}
    </Link>
  );
}

function NoGroups({ search }: { search: OverviewSearch }) {
  const { appId } = route.useParams();
  const isFiltered = Object.keys(filtersOf(search)).length > 0;
  return (
    <Empty title={isFiltered ? 'Nothing fits' : 'Nothing in these days'}>
      {isFiltered && (
        <Link
          to="/$appId"
          params={{ appId }}
          search={{
            ...search,
            shortCode: undefined,
            campaignId: undefined,
            platform: undefined,
            sandbox: undefined,
          }}
          className="btn"
        >
          Remove the filters
        </Link>
      )}
    </Empty>
  );
}
