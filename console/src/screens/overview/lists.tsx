import type { StatsGroup } from '@generated/types.gen.ts';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Read } from '../../api/use-read.ts';
import { Empty, Section } from '../../components/page.tsx';
import { Pane } from '../../components/pane.tsx';
import { RankedColumns, RankedList, type RankedPart, type RankedRow } from '../../components/ranked-list.tsx';
import { formatCount, formatCountry, formatShare, METHODS, type Method } from '../../formats.ts';
import { momentsOf, periodOf } from '../../stats/period.ts';
import type { RecordSearch } from '../records/record-search.ts';
import {
  type Dimension,
  filtersOf,
  type OverviewSearch,
  type OverviewStats,
  useGroups,
} from './use-stats.ts';

const route = getRouteApi('/$appId/');

/** What narrows a page down to the records of a row; null where no list can be. */
type Narrowing = Pick<RecordSearch, 'shortCode' | 'campaignId' | 'platform' | 'country' | 'method'> | null;

interface ListProps {
  readonly search: OverviewSearch;
  readonly overview: Read<OverviewStats>;
}

const OF_CLICKS = ['Clicks', 'Installs'] as const;
const OF_INSTALLS = ['Installs', 'Share'] as const;

export function LinkList({ search, overview }: ListProps) {
  const { appId } = route.useParams();
  return (
    <Section title="Links" aside={<RankedColumns names={OF_CLICKS} />}>
      <Groups
        search={search}
        overview={overview}
        groupBy="link"
        nameOf={(key) => (key === null ? 'without a link' : `/${key}`)}
        narrowingOf={(key) => (key === null ? null : { shortCode: key })}
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

export function CampaignList({ search, overview }: ListProps) {
  const [tab, setTab] = useState<(typeof CAMPAIGN_TABS)[number][0]>('campaign');
  return (
    <Section
      title={<Tabs tabs={CAMPAIGN_TABS} chosen={tab} onPick={setTab} />}
      aside={<RankedColumns names={OF_CLICKS} />}
    >
      <Groups
        key={tab}
        search={search}
        overview={overview}
        groupBy={tab}
        nameOf={(key) => key ?? 'none'}
        narrowingOf={(key) => (key === null || tab !== 'campaign' ? null : { campaignId: key })}
      />
    </Section>
  );
}

const COUNTRY_TABS = [
  ['country', 'Countries'],
  ['platform', 'Platforms'],
] as const;

export function CountryList({ search, overview }: ListProps) {
  const [tab, setTab] = useState<(typeof COUNTRY_TABS)[number][0]>('country');
  const isCountry = tab === 'country';
  return (
    <Section
      title={<Tabs tabs={COUNTRY_TABS} chosen={tab} onPick={setTab} />}
      aside={<RankedColumns names={OF_CLICKS} />}
    >
      <Groups
        key={tab}
        search={search}
        overview={overview}
        groupBy={tab}
        nameOf={(key, label) => (isCountry ? formatCountry(key) : key === null ? 'Neither phone' : label)}
        narrowingOf={(key) => {
          if (key === null) return null;
          return isCountry ? { country: key } : { platform: key };
        }}
        isOfRecords={isCountry}
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

export function MethodList({ search, overview }: ListProps) {
  const { appId } = route.useParams();
  return (
    <Section title="How installs were matched" aside={<RankedColumns names={OF_INSTALLS} />}>
      <Groups
        search={search}
        overview={overview}
        groupBy="method"
        nameOf={(key) => METHODS[key as Method] ?? 'Other'}
        moreOf={(key) => CERTAINTY[key ?? ''] ?? null}
        narrowingOf={(key) => (key === null ? null : { method: key })}
        isOfInstalls
        isOfRecords
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

interface GroupsProps extends ListProps {
  readonly groupBy: Dimension;
  readonly nameOf: (key: string | null, label: string) => string;
  readonly moreOf?: (key: string | null) => string | null;
  readonly narrowingOf: (key: string | null) => Narrowing;
  /** Whether the bars are installs; else clicks. */
  readonly isOfInstalls?: boolean;
  /** Whether a name leads to records, as statistics cannot be narrowed down to it. */
  readonly isOfRecords?: boolean;
}

function Groups(props: GroupsProps) {
  const read = useGroups(props.search, props.overview, props.groupBy);
  return (
    <div className="phone:min-h-[calc(7*var(--row)+6px)]">
      <Pane read={read} rows={7}>
        {(groups, isOld) => <GroupRows {...props} all={groups} isOld={isOld} />}
      </Pane>
    </div>
  );
}

function GroupRows({ all, isOld, ...props }: GroupsProps & { all: readonly StatsGroup[]; isOld: boolean }) {
  const { search, overview, isOfInstalls = false, isOfRecords = false } = props;
  const sizeOf = (group: StatsGroup) => (isOfInstalls ? group.installs : group.clicks);
  const groups = all
    .filter((group) => group.clicks + group.installs > 0 && (!isOfInstalls || group.installs > 0))
    .sort((a, b) => sizeOf(b) - sizeOf(a));
  const installs = Math.max(1, overview.data?.totals.installs ?? 0);
  const largest = Math.max(1, ...groups.map(sizeOf));
  if (groups.length === 0) return <NoGroups search={search} />;
  const narrowings = new Map(groups.map(({ key }) => [String(key), props.narrowingOf(key)]));
  const records = isOfInstalls ? 'Its installs' : 'Its clicks';
  const rows = groups.map((group): RankedRow => {
    const narrowing = narrowings.get(String(group.key)) ?? null;
    return {
      key: String(group.key),
      name: props.nameOf(group.key, group.label),
      more: props.moreOf?.(group.key) ?? null,
      isMuted: group.key === null || group.key === 'ORGANIC',
      share: sizeOf(group) / largest,
      figures: isOfInstalls
        ? [formatCount(group.installs), formatShare(group.installs / installs)]
        : [formatCount(group.clicks), formatCount(group.installs)],
      ...(narrowing !== null && { action: isOfRecords ? records : 'Only this' }),
    };
  });
  return (
    <RankedList
      rows={rows}
      columns={isOfInstalls ? OF_INSTALLS : OF_CLICKS}
      isOld={isOld}
      wrap={({ key }, part, content, className) => (
        <Leading
          to={placeOf(part, isOfInstalls, isOfRecords)}
          narrowing={narrowings.get(key) ?? null}
          search={search}
          className={className}
        >
          {content}
        </Leading>
      )}
    />
  );
}

type Place = '/$appId' | '/$appId/clicks' | '/$appId/installs' | null;

/** A number opens its records, a name narrows the page down. A share has no records. */
function placeOf(part: RankedPart, isOfInstalls: boolean, isOfRecords: boolean): Place {
  const first = isOfInstalls ? '/$appId/installs' : '/$appId/clicks';
  if (part === 'name') return isOfRecords ? first : '/$appId';
  if (part === 0) return first;
  return isOfInstalls ? null : '/$appId/installs';
}

function Leading({
  to,
  narrowing,
  search,
  className,
  children,
}: {
  to: Place;
  narrowing: Narrowing;
  search: OverviewSearch;
  className: string;
  children: ReactNode;
}) {
  const { appId } = route.useParams();
  if (to === null || narrowing === null) return <span className={className}>{children}</span>;
  if (to === '/$appId')
    return (
      <Link
        to={to}
        params={{ appId }}
        search={{ ...search, ...narrowing }}
        activeOptions={{ exact: true, includeSearch: true }}
        className={className}
      >
        {children}
      </Link>
    );
  const narrowed = { ...momentsOf(periodOf(search)), ...filtersOf(search), ...narrowing };
  return (
    <Link to={to} params={{ appId }} search={narrowed} className={className}>
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
