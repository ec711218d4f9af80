/** Lists of clicks, installs, opens and events, narrowed down by their address. */
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Read } from '../../api/use-read.ts';
import { Erased } from '../../components/erased.tsx';
import { Picker } from '../../components/menu.tsx';
import { Empty, Head } from '../../components/page.tsx';
import { Pane } from '../../components/pane.tsx';
import { formatProbability, METHODS, type Method } from '../../formats.ts';
import { DatesPicker } from './dates.tsx';
import { Export } from './export.tsx';
import { FilterPicker, FilterTags } from './filters.tsx';
import { filtersOf, type Kind, type RecordSearch, searchOf } from './record-search.ts';
import { PAGE, useListSearch, useTotal } from './use-records.ts';

export interface Column<T> {
  readonly name: string;
  readonly cell: (record: T) => ReactNode;
  readonly isNumber?: boolean;
  readonly className?: string;
  /** About the person: gone from records that were erased. */
  readonly isPersonal?: boolean;
}

interface Listed {
  readonly id: string;
  readonly erasedAt: string | null;
}

const TABS = [
  { kind: 'clicks', name: 'Clicks' },
  { kind: 'installs', name: 'Installs' },
  { kind: 'opens', name: 'Opens' },
  { kind: 'events', name: 'Events' },
] as const;

export function Records<T extends Listed>({
  kind,
  title,
  read,
  columns,
  empty,
}: {
  kind: Kind;
  title: string;
  read: Read<readonly T[]>;
  columns: readonly Column<T>[];
  /** When records of the kind come. */
  empty: string;
}) {
  const search = useListSearch(kind);
  return (
    <>
      <Head title={title}>
        <Tabs search={search} />
        <div className="ml-auto flex items-center gap-2 max-phone:ml-0">
          <Total kind={kind} search={search} />
          <Export kind={kind} search={search} />
        </div>
      </Head>
      <Bar kind={kind} search={search} />
      <div className="border-t border-line">
        <Pane read={read} rows={12}>
          {(records) => (
            <>
              {records.length === 0 ? (
                <Nothing kind={kind} text={empty} search={search} />
              ) : (
                <>
                  <Table records={records} columns={columns} />
                  <LeftOut search={search} />
                </>
              )}
              <Older kind={kind} records={records} search={search} />
            </>
          )}
        </Pane>
      </div>
    </>
  );
}

/** Each keeps the filters that its list takes. */
function Tabs({ search }: { search: RecordSearch }) {
  const { appId } = useParams({ from: '/$appId' });
  return (
    <nav aria-label="Kinds of records" className="tabs">
      {TABS.map(({ kind, name }) => (
        <Link
          key={kind}
          to={`/$appId/${kind}`}
          params={{ appId }}
          search={searchOf(kind)(filtersOf(search))}
          activeOptions={{ includeSearch: false }}
          activeProps={{ 'aria-current': 'page' }}
        >
          {name}
        </Link>
      ))}
    </nav>
  );
}

function Total({ kind, search }: { kind: Kind; search: RecordSearch }) {
  const { text } = useTotal(kind, search);
  return (
    <p className="text-ink-2" role="status">
      {text ?? ''}
    </p>
  );
}

function Table<T extends Listed>({
  records,
  columns,
}: {
  records: readonly T[];
  columns: readonly Column<T>[];
}) {
  return (
    <table className="table">
      <thead>
        <tr>
          {columns.map(({ name, isNumber }) => (
            <th key={name} scope="col" className={isNumber === true ? 'num' : ''}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {records.map((record) => (
          <Row key={record.id} record={record} columns={columns} />
        ))}
      </tbody>
    </table>
  );
}

/** The first cell about an erased person says so in place of them all. */
function Row<T extends Listed>({ record, columns }: { record: T; columns: readonly Column<T>[] }) {
  const { erasedAt } = record;
  const first = columns.find(({ isPersonal }) => isPersonal === true);
  return (
    <tr>
      {columns.map((column) => {
        const { name, cell, isNumber = false, className = '', isPersonal = false } = column;
        const isErased = erasedAt !== null && isPersonal;
        return (
          <td key={name} data-name={name} className={`${className} ${isNumber ? 'num' : ''}`}>
            {isErased ? column === first && <Erased at={erasedAt} /> : cell(record)}
          </td>
        );
      })}
    </tr>
  );
}

function useSet(kind: Kind, search: RecordSearch): (change: RecordSearch) => void {
  const { appId } = useParams({ from: '/$appId' });
  const navigate = useNavigate();
  return (change) =>
    void navigate({
      to: `/$appId/${kind}` as const,
      params: { appId },
      search: { ...search, before: undefined, ...change },
    });
}

function Bar({ kind, search }: { kind: Kind; search: RecordSearch }) {
  const set = useSet(kind, search);
  const filter = { kind, search, onChange: set };
  return (
    <div className="flex flex-wrap items-center gap-2 py-3">
      <DatesPicker search={search} onPick={set} />
      <Picker
        label="Data"
        value={search.sandbox === 'true' ? 'true' : 'live'}
        options={[
          ['live', 'Live data'],
          ['true', 'Sandbox data'],
        ]}
        onPick={(sandbox) => set({ sandbox: sandbox === 'live' ? undefined : sandbox })}
      />
      <FilterPicker {...filter} />
      <FilterTags {...filter} />
    </div>
  );
}

/** By what an erasure removes. */
const LOST = [
  ...(['userId', 'referrer', 'utmSource', 'utmMedium', 'utmCampaign'] as const),
  ...(['platformVersion', 'appVersion'] as const),
] as const;

/** Why a list has fewer records than the number that led to it. */
function LeftOut({ search }: { search: RecordSearch }) {
  if (LOST.every((name) => search[name] === undefined)) return null;
  return (
    <p className="meta max-w-[92ch] pt-3">
      Records of people who were erased are not in this list: they have lost their user, source and versions.
      Numbers still count them.
    </p>
  );
}

function Nothing({ kind, text, search }: { kind: Kind; text: string; search: RecordSearch }) {
  const { appId } = useParams({ from: '/$appId' });
  const { before, sandbox, ...narrowing } = search;
  if (before !== undefined) return <Empty title="No older ones" />;
  if (Object.values(narrowing).every((value) => value === undefined))
    return (
      <Empty title={sandbox === 'true' ? 'None in the sandbox yet' : 'None yet'}>
        <p className="text-ink-2">{text}</p>
      </Empty>
    );
  return (
    <Empty title="None match these filters">
      <LeftOut search={search} />
      <Link to={`/$appId/${kind}`} params={{ appId }} search={{ sandbox }} className="btn">
        Remove the filters
      </Link>
    </Empty>
  );
}

function Older({
  kind,
  records,
  search,
}: {
  kind: Kind;
  records: readonly { readonly id: string }[];
  search: RecordSearch;
}) {
  const set = useSet(kind, search);
  const last = records.at(-1);
  const isEnd = records.length < PAGE || last === undefined;
  if (isEnd && search.before === undefined) return null;
  return (
    <nav aria-label="Pages" className="flex gap-2 pt-3">
      <button type="button" className="btn" disabled={search.before === undefined} onClick={() => set({})}>
        Newest
      </button>
      <button type="button" className="btn" disabled={isEnd} onClick={() => set({ before: last?.id })}>
        Older
      </button>
    </nav>
  );
}

export function methodName(method: Method, confidence: string | null): string {
  return confidence === null
    ? METHODS[method]
    : `${METHODS[method]}, ${formatProbability(Number(confidence))}`;
}
