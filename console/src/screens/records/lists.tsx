import { listClicks, listEvents, listInstalls, listOpens } from '@generated/sdk.gen.ts';
import type { Click, Event, Install, Open } from '@generated/types.gen.ts';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { useRead } from '../../api/use-read.ts';
import { Time } from '../../components/time.tsx';
import { formatCountry, formatMoney, PLATFORMS } from '../../formats.ts';
import { commonQuery, installsQuery, methodQuery, type RecordSearch } from './record-search.ts';
import { type Column, methodName, Records } from './records.tsx';

interface Source {
  readonly shortCode: string | null;
  readonly campaignId: string | null;
  readonly platform: 'IOS' | 'ANDROID' | null;
  readonly country: string | null;
}

/** Of which link, campaign, platform and country. */
const SOURCE: readonly Column<Source>[] = [
  { name: 'Link', className: 'mono', cell: ({ shortCode }) => <ToLink shortCode={shortCode} /> },
  { name: 'Campaign', cell: ({ campaignId }) => campaignId },
  { name: 'Platform', className: 'text-ink-2', cell: ({ platform }) => platform && PLATFORMS[platform] },
  { name: 'Country', className: 'text-ink-2', cell: ({ country }) => country && formatCountry(country) },
];

function ToLink({ shortCode }: { shortCode: string | null }) {
  const { appId } = useParams({ from: '/$appId' });
  if (shortCode === null) return <span className="text-ink-3">no link</span>;
  return (
    <Link
      to="/$appId/links/$shortCode"
      params={{ appId, shortCode }}
      className="hover:text-accent hover:underline"
    >
      /{shortCode}
    </Link>
  );
}

export function Clicks() {
  const search: RecordSearch = useSearch({ strict: false });
  const query = { ...commonQuery(search), ...(search.visitor === 'human' && { visitor: 'human' as const }) };
  const read = useRead(['clicks', query], (client, signal) =>
    listClicks({ client, query, signal, throwOnError: true }),
  );
  const columns: Column<Click>[] = [
    { name: 'When', cell: ({ clickedAt }) => <Time at={clickedAt} /> },
    ...SOURCE,
    { name: 'From', className: 'text-ink-2', cell: ({ referrer, utm }) => referrer ?? utm.source },
    {
      name: 'By',
      className: 'text-ink-2',
      cell: ({ visitor }) => (visitor === 'human' ? 'a person' : visitor),
    },
  ];
  return (
    <Records title="Clicks" read={read} columns={columns} empty="They come with the first click on a link." />
  );
}

export function Installs() {
  const { appId } = useParams({ from: '/$appId' });
  const search: RecordSearch = useSearch({ strict: false });
  const query = installsQuery(search);
  const read = useRead(['installs', query], (client, signal) =>
    listInstalls({ client, query, signal, throwOnError: true }),
  );
  const columns: Column<Install>[] = [
    {
      name: 'When',
      cell: ({ id, installedAt }) => (
        <Link
          to="/$appId/installs/$installId"
          params={{ appId, installId: id }}
          search={{ ...search, before: undefined }}
          className="link"
        >
          <Time at={installedAt} />
        </Link>
      ),
    },
    {
      name: 'Matched by',
      cell: ({ existingUser, method, confidence }) =>
        existingUser ? 'Existing user' : methodName(method, confidence),
    },
    ...SOURCE,
    { name: 'Device', className: 'text-ink-2', cell: deviceOf },
  ];
  return (
    <Records
      title="Installs and opens"
      read={read}
      columns={columns}
      isOfInstalls
      empty="They come when the app with the SDK starts for the first time."
    />
  );
}

function deviceOf({ deviceModel, osVersion }: Install): string {
  return [deviceModel, osVersion].filter((text) => text !== null).join(', ');
}

export function Opens() {
  const { appId } = useParams({ from: '/$appId' });
  const search: RecordSearch = useSearch({ strict: false });
  const { installId } = search;
  const query = {
    ...commonQuery(search),
    ...(search.method === 'DIRECT' ? { method: ['DIRECT' as const] } : methodQuery(search)),
    ...(installId !== undefined && { installId }),
  };
  const read = useRead(['opens', query], (client, signal) =>
    listOpens({ client, query, signal, throwOnError: true }),
  );
  const columns: Column<Open>[] = [
    {
      name: 'When',
      cell: ({ openedAt, installId }) =>
        installId === null ? (
          <Time at={openedAt} />
        ) : (
          <Link to="/$appId/installs/$installId" params={{ appId, installId }} className="link">
            <Time at={openedAt} />
          </Link>
        ),
    },
    { name: 'Matched by', cell: ({ method, confidence }) => methodName(method, confidence) },
    ...SOURCE,
  ];
  return (
    <Records
      title="Installs and opens"
      read={read}
      columns={columns}
      isOfInstalls
      empty="They come when a link opens the app on a phone that has it."
    />
  );
}

export function Events() {
  const { appId } = useParams({ from: '/$appId' });
  const search: RecordSearch = useSearch({ strict: false });
  const query = {
    ...commonQuery(search),
    ...(search.installId !== undefined && { installId: search.installId }),
    ...(search.eventName !== undefined && { eventName: [search.eventName] }),
    ...(search.userId !== undefined && { userId: search.userId }),
  };
  const read = useRead(['events', query], (client, signal) =>
    listEvents({ client, query, signal, throwOnError: true }),
  );
  const columns: Column<Event>[] = [
    {
      name: 'When',
      cell: ({ occurredAt, installId }) => (
        <Link to="/$appId/installs/$installId" params={{ appId, installId }} className="link">
          <Time at={occurredAt} />
        </Link>
      ),
    },
    {
      name: 'Event',
      cell: ({ eventName }) => (
        <Link
          to="/$appId/events"
          params={{ appId }}
          search={{ ...search, eventName }}
          className="hover:text-accent hover:underline"
        >
          {eventName}
        </Link>
      ),
    },
    { name: 'Revenue', isNumber: true, cell: ({ revenue }) => revenue && formatMoney(revenue) },
    ...SOURCE,
  ];
  return (
    <Records
      title="Events"
      read={read}
      columns={columns}
      empty="They come when the app reports what people do."
    />
  );
}
