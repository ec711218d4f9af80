/** How many installs come back, by day after the install. */
import { readRetention } from '@generated/sdk.gen.ts';
import type { RetentionStats } from '@generated/types.gen.ts';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useRead } from '../../api/use-read.ts';
import { Picker } from '../../components/menu.tsx';
import { Empty, Head } from '../../components/page.tsx';
import { Pane } from '../../components/pane.tsx';
import { formatDay, formatShare, plural } from '../../formats.ts';
import type { Search } from '../../search.ts';
import { isAhead, lengthOf, type Period, type PeriodSearch, periodOf, todayIn } from '../../stats/period.ts';
import { NotYet, Unread } from '../../stats/period-notes.tsx';
import { PeriodPicker } from '../../stats/period-picker.tsx';
import { CohortTable } from './cohort-table.tsx';
import { type Row, rowOf, rowsByDay, rowsByGroup } from './cohorts.ts';
import { filterOfKey, GROUP_NAMES, GROUPS, type Group, nameOfKey } from './groups.ts';

type RetentionSearch = PeriodSearch & Search<'by' | 'group' | 'key' | 'sandbox'>;

const route = getRouteApi('/$appId/retention');
/** Cohorts have days of UTC. */
const UTC = { tz: 'UTC' };

export function Retention() {
  const search: RetentionSearch = route.useSearch();
  const period = periodOf({ ...search, ...UTC });
  return (
    <>
      <Head title="Retention">
        <Filters search={search} />
      </Head>
      <Unread search={{ ...search, ...UTC }} />
      {/* Cohorts of other groups would have no names while new ones are read. */}
      {isAhead(period) ? (
        <NotYet period={period} search={search} />
      ) : (
        <Stats key={search.group} search={search} period={period} />
      )}
    </>
  );
}

function Stats({ search, period }: { search: RetentionSearch; period: Period }) {
  const group = groupOf(search);
  const query = {
    from: period.from,
    to: period.to,
    ...(group !== null && { groupBy: group }),
    ...(search.sandbox === 'true' && { sandbox: 'true' as const }),
  };
  const read = useRead(['retention', query], (client, signal) =>
    readRetention({ client, query, signal, throwOnError: true }),
  );
  return (
    <Pane read={read} rows={10}>
      {(stats) => <Cohorts stats={stats} search={search} />}
    </Pane>
  );
}

function groupOf(search: RetentionSearch): Group | null {
  return GROUPS.find((name) => name === search.group) ?? null;
}

const MAX_DAYS_BY_DAY = 31;

function intervalOf(search: RetentionSearch): 'day' | 'week' {
  if (search.by === 'day' || search.by === 'week') return search.by;
  return lengthOf(periodOf({ ...search, ...UTC })) > MAX_DAYS_BY_DAY ? 'week' : 'day';
}

function Filters({ search }: { search: RetentionSearch }) {
  const navigate = useNavigate({ from: '/$appId/retention' });
  const set = (change: RetentionSearch) => void navigate({ search: { ...search, ...change } });
  const group = groupOf(search);
  return (
    <>
      <PeriodPicker search={search} onPick={(change) => set({ ...change, by: undefined })} />
      <Picker
        label="Rows"
        value={search.key === undefined && group !== null ? group : intervalOf(search)}
        options={[
          ['day', 'By day'],
          ['week', 'By week'],
          ...GROUPS.map((name) => [name, `By ${name}`] as const),
        ]}
        onPick={(rows) => {
          if (rows !== 'day' && rows !== 'week') set({ group: rows, key: undefined });
          else if (search.key === undefined) set({ by: rows, group: undefined });
          else set({ by: rows });
        }}
      />
      <Picker
        label="Data"
        value={search.sandbox === 'true' ? 'true' : 'live'}
        options={[
          ['live', 'Live'],
          ['true', 'Sandbox'],
        ]}
        onPick={(sandbox) => set({ sandbox: sandbox === 'live' ? undefined : sandbox })}
      />
      {group !== null && search.key !== undefined && (
        <KeyTag
          text={`${GROUP_NAMES[group]}: ${nameOfKey(group, search.key)}`}
          onRemove={() => set({ key: undefined })}
        />
      )}
    </>
  );
}

function KeyTag({ text, onRemove }: { text: string; onRemove: () => void }) {
  return (
    <button
      type="button"
      className="tag min-h-7 hover:bg-hover"
      aria-label={`Remove the filter ${text}`}
      onClick={onRemove}
    >
      {text} <span aria-hidden="true">×</span>
    </button>
  );
}

/** More would be slow to draw. */
const SHOWN_GROUPS = 100;

function Cohorts({ stats, search }: { stats: RetentionStats; search: RetentionSearch }) {
  const { appId } = route.useParams();
  const today = todayIn('UTC');
  const group = groupOf(search);
  const { key } = search;
  const cohorts = key === undefined ? stats.cohorts : stats.cohorts.filter((cohort) => cohort.key === key);
  if (cohorts.length === 0) return <Nothing search={search} />;
  const isOfGroups = group !== null && key === undefined;
  const interval = intervalOf(search);
  const all = rowOf(null, cohorts, today);
  const rows = isOfGroups
    ? rowsByGroup(cohorts, today).slice(0, SHOWN_GROUPS)
    : rowsByDay(cohorts, interval, today);
  const sandbox = search.sandbox === 'true' ? { sandbox: 'true' } : {};
  const filterOf = (row: Row) => {
    const ofGroup = isOfGroups && row !== all ? filterOfKey(group, row.key) : {};
    const ofKey = group !== null && key !== undefined ? filterOfKey(group, key) : {};
    return { ...sandbox, ...ofKey, ...ofGroup };
  };
  return (
    <>
      <Sentence row={all} />
      <CohortTable
        all={all}
        rows={rows}
        appId={appId}
        name={isOfGroups ? GROUP_NAMES[group] : interval === 'week' ? 'Week of' : 'Installed'}
        headOf={(row) =>
          isOfGroups ? <GroupHead group={group} row={row} search={search} /> : formatDay(row.key ?? '')
        }
        filterOf={filterOf}
      />
      <p className="meta max-w-[92ch] pt-2">
        In per cent of the installs, by days after the install. Grey: the day is not over. Days are of UTC
        here, because an install’s activity is kept by UTC day; Overview counts days of the zone that it
        names, so the installs of one day can differ between the two.
        {isOfGroups && rows.length === SHOWN_GROUPS && ` The largest ${SHOWN_GROUPS}.`}
      </p>
    </>
  );
}

function GroupHead({ group, row, search }: { group: Group; row: Row; search: RetentionSearch }) {
  const { appId } = route.useParams();
  const name = nameOfKey(group, row.key);
  if (row.key === null) return <span className="text-ink-3">{name}</span>;
  return (
    <Link
      to="/$appId/retention"
      params={{ appId }}
      search={{ ...search, key: row.key }}
      activeOptions={{ exact: true, includeSearch: true }}
      title={name}
      className="block truncate hover:text-accent hover:underline"
    >
      {name}
    </Link>
  );
}

/** The two days that are compared most. */
function Sentence({ row: { installs, cells } }: { row: Row }) {
  const [after1, after7] = [cells[1], cells[7]];
  const isKnown = after1 != null && !after1.isOpen;
  return (
    <p className="pt-4 text-lead">
      {isKnown ? (
        <>
          <b>{formatShare(after1.share, 0)}</b> of the installs came back the day after
          {after7 != null && !after7.isOpen && (
            <>
              , <b>{formatShare(after7.share, 0)}</b> seven days after
            </>
          )}
          .
        </>
      ) : (
        `${plural(installs, 'install')}. The day after is not over yet.`
      )}
    </p>
  );
}

function Nothing({ search }: { search: RetentionSearch }) {
  const { appId } = route.useParams();
  if (search.key !== undefined || search.sandbox !== undefined)
    return (
      <Empty title="Nothing fits">
        <Link
          to="/$appId/retention"
          params={{ appId }}
          search={{ ...search, key: undefined, sandbox: undefined }}
          className="btn"
        >
          Remove the filters
        </Link>
      </Empty>
    );
  return (
    <Empty title="No installs in these days">
      <p className="text-ink-2">
        An install is active on a day with an open, an event or a start of the app.
      </p>
      {search.days !== '364' && (
        <Link to="/$appId/retention" params={{ appId }} search={{ days: '364' }} className="btn">
          Show 52 weeks
        </Link>
      )}
    </Empty>
  );
}
