/** Lists of clicks, installs, opens and events, narrowed down by their address. */
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Read } from '../../api/use-read.ts';
import { Picker } from '../../components/menu.tsx';
import { Empty, Head } from '../../components/page.tsx';
import { Pane } from '../../components/pane.tsx';
import {
  formatCountry,
  formatMoment,
  formatProbability,
  METHODS,
  type Method,
  PLATFORMS,
} from '../../formats.ts';
import type { RecordSearch } from './record-search.ts';

export interface Column<T> {
  readonly name: string;
  readonly cell: (record: T) => ReactNode;
  readonly isNumber?: boolean;
  readonly className?: string;
}

const TABS = [
  { to: '/$appId/clicks', name: 'Clicks' },
  { to: '/$appId/installs', name: 'Installs' },
  { to: '/$appId/opens', name: 'Opens' },
  { to: '/$appId/events', name: 'Events' },
] as const;

const PAGE = 50;

export function Records<T extends { readonly id: string }>({
  title,
  read,
  columns,
  isOfInstalls = false,
  empty,
}: {
  title: string;
  read: Read<readonly T[]>;
  columns: readonly Column<T>[];
  /** Whether they can be narrowed down by method. */
  isOfInstalls?: boolean;
  empty: string;
}) {
  const { appId } = useParams({ from: '/$appId' });
  const search: RecordSearch = useSearch({ strict: false });
  return (
    <>
      <Head title={title}>
        <nav aria-label="Kinds of records" className="tabs">
          {TABS.map(({ to, name }) => (
            <Link
              key={to}
              to={to}
              params={{ appId }}
              search={{ ...search, before: undefined }}
              activeOptions={{ includeSearch: false }}
              activeProps={{ 'aria-current': 'page' }}
            >
              {name}
            </Link>
          ))}
        </nav>
      </Head>
      <Filters isOfInstalls={isOfInstalls} />
      <div className="border-t border-line">
        <Pane read={read} rows={12}>
          {(records) => (
            <>
              {records.length === 0 ? (
                <Nothing text={empty} />
              ) : (
                <Table records={records} columns={columns} />
              )}
              <Older records={records} />
            </>
          )}
        </Pane>
      </div>
    </>
  );
}

function Table<T extends { readonly id: string }>({
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
          <tr key={record.id}>
            {columns.map(({ name, cell, isNumber, className = '' }) => (
              <td key={name} data-name={name} className={`${className} ${isNumber === true ? 'num' : ''}`}>
                {cell(record)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function useSet(): (change: RecordSearch) => void {
  const navigate = useNavigate();
  return (change) =>
    void navigate({
      to: '.',
      search: (search: RecordSearch) => ({ ...search, before: undefined, ...change }),
    });
}

const NAMED = [
  'shortCode',
  'campaignId',
  'country',
  'installId',
  'eventName',
  'userId',
  'sandbox',
  'visitor',
] as const;

function Filters({ isOfInstalls }: { isOfInstalls: boolean }) {
  const search: RecordSearch = useSearch({ strict: false });
  const set = useSet();
  return (
    <div className="flex flex-wrap items-center gap-2 py-3">
      <Picker
        label="Platform"
        value={search.platform ?? 'all'}
        options={[['all', 'All platforms'], ...Object.entries(PLATFORMS)]}
        onPick={(platform) => set({ platform: platform === 'all' ? undefined : platform })}
      />
      {isOfInstalls && (
        <Picker
          label="Method"
          value={search.method ?? 'all'}
          options={[['all', 'All methods'], ...Object.entries(METHODS)]}
          onPick={(method) => set({ method: method === 'all' ? undefined : method })}
        />
      )}
      <Picker
        label="Data"
        value={search.sandbox === 'true' ? 'true' : 'live'}
        options={[
          ['live', 'Live'],
          ['true', 'Sandbox'],
        ]}
        onPick={(sandbox) => set({ sandbox: sandbox === 'live' ? undefined : sandbox })}
      />
      {NAMED.filter((name) => name !== 'sandbox' && search[name] !== undefined).map((name) => (
        <Tag key={name} text={textOf(name, search[name] ?? '')} onRemove={() => set({ [name]: undefined })} />
      ))}
      {search.from !== undefined && (
        <Tag
          text={`${formatMoment(search.from, { seconds: false })} to ${search.to === undefined ? 'now' : formatMoment(search.to, { seconds: false })}`}
          onRemove={() => set({ from: undefined, to: undefined })}
        />
      )}
    </div>
  );
}

function Tag({ text, onRemove }: { text: string; onRemove: () => void }) {
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

function textOf(name: (typeof NAMED)[number], value: string): string {
  if (name === 'shortCode') return `/${value}`;
  if (name === 'country') return formatCountry(value);
  return value;
}

function Nothing({ text }: { text: string }) {
  const search: RecordSearch = useSearch({ strict: false });
  const isNarrowed = Object.values(search).some((value) => value !== undefined);
  const navigate = useNavigate();
  if (search.before !== undefined) return <Empty title="No older ones" />;
  if (!isNarrowed)
    return (
      <Empty title="None yet">
        <p className="text-ink-2">{text}</p>
      </Empty>
    );
  return (
    <Empty title="None fit">
      <button type="button" className="btn" onClick={() => void navigate({ to: '.', search: {} })}>
        Remove the filters
      </button>
    </Empty>
  );
}

function Older({ records }: { records: readonly { readonly id: string }[] }) {
  const search: RecordSearch = useSearch({ strict: false });
  const set = useSet();
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
