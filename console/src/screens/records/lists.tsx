import type { Click, Event, Install, Network, Open } from '@generated/types.gen.ts';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Device } from '../../components/device.tsx';
import { Time } from '../../components/time.tsx';
import { ToInstall } from '../../components/to-install.tsx';
import { ToUser } from '../../components/to-user.tsx';
import { formatCountry, formatMoney, formatSystem, PLATFORMS } from '../../formats.ts';
import { formatNetwork } from '../../stats/networks.ts';
import { filtersOf } from './record-search.ts';
import { type Column, methodName, Records } from './records.tsx';
import { useListSearch, useRecords } from './use-records.ts';

interface Source {
  readonly shortCode: string | null;
  readonly campaignId: string | null;
  readonly platform: 'IOS' | 'ANDROID' | null;
  readonly country: string | null;
}

/** Wraps anywhere, as a name may have no spaces; so that it leaves room for other columns, three lines of it. */
function Name({ text, children = text }: { text: string | null; children?: ReactNode }) {
  if (text === null) return null;
  return (
    <span
      title={text}
      dir="auto"
      className="line-clamp-3 max-w-60 min-w-24 text-left wrap-anywhere max-phone:max-w-full max-phone:min-w-0"
    >
      {children}
    </span>
  );
}

/** Of which link, campaign and country. */
const SOURCE: readonly Column<Source>[] = [
  { name: 'Link', className: 'mono', cell: ({ shortCode }) => <ToLink shortCode={shortCode} /> },
  { name: 'Campaign', cell: ({ campaignId }) => <Name text={campaignId} /> },
  { name: 'Country', className: 'text-ink-2', cell: ({ country }) => country && formatCountry(country) },
];

const PLATFORM: Column<Source> = {
  name: 'Platform',
  className: 'text-ink-2',
  cell: ({ platform }) => platform && PLATFORMS[platform],
};

function ToLink({ shortCode }: { shortCode: string | null }) {
  const { appId } = useParams({ from: '/$appId' });
  if (shortCode === null) return <span className="text-ink-3">no link</span>;
  return (
    <Name text={`/${shortCode}`}>
      <Link
        to="/$appId/links/$shortCode"
        params={{ appId, shortCode }}
        className="hover:text-accent hover:underline"
      >
        /{shortCode}
      </Link>
    </Name>
  );
}

interface OfUser {
  readonly userId: string | null;
  readonly sandbox: boolean;
}

const USER: Column<OfUser> = {
  name: 'User',
  isPersonal: true,
  cell: ({ userId, sandbox }) =>
    userId !== null && (
      <Name text={userId}>
        <ToUser userId={userId} isSandbox={sandbox} className="hover:text-accent hover:underline" />
      </Name>
    ),
};

const PHONE: readonly Column<Pick<Install, 'platform' | 'osVersion' | 'deviceName' | 'deviceModel'>>[] = [
  {
    name: 'System',
    className: 'text-ink-2',
    cell: ({ platform, osVersion }) => formatSystem(platform, osVersion),
  },
  {
    name: 'Device',
    isPersonal: true,
    className: 'text-ink-2',
    cell: ({ deviceName, deviceModel }) => <Device name={deviceName} model={deviceModel} />,
  },
];

/** The install that made the link; for apps whose users share links. */
const INVITER: Column<Pick<Install, 'invitedBy'>> = {
  name: 'Invited by',
  isPersonal: true,
  cell: ({ invitedBy }) => invitedBy !== null && <ToInstall installId={invitedBy} />,
};

/** For apps whose links have rules, or addresses below their own. */
const ROUTED: readonly (Column<Click> & { readonly isUsed: (click: Click) => boolean })[] = [
  {
    name: 'Rule',
    className: 'text-ink-2',
    isUsed: ({ ruleId }) => ruleId !== null,
    cell: ({ ruleId, ruleName }) => ruleId !== null && <Name text={ruleName ?? 'no name'} />,
  },
  {
    name: 'After the address',
    className: 'mono',
    isPersonal: true,
    isUsed: ({ pathRest }) => pathRest !== null,
    cell: ({ pathRest }) => pathRest !== null && <Name text={`/${pathRest}`} />,
  },
];

export function Clicks() {
  const { appId } = useParams({ from: '/$appId' });
  const search = useListSearch('clicks');
  const read = useRecords('clicks', search);
  const columns: Column<Click>[] = [
    {
      name: 'When',
      cell: ({ id, clickedAt }) => (
        <Link to="/$appId/clicks/$id" params={{ appId, id }} className="link">
          <Time at={clickedAt} />
        </Link>
      ),
    },
    ...SOURCE,
    PLATFORM,
    {
      name: 'From',
      className: 'text-ink-2',
      isPersonal: true,
      cell: ({ referrer, utm }) => <Name text={referrer ?? utm.source} />,
    },
    ...ROUTED.filter(({ isUsed }) => read.data?.some(isUsed) === true),
    ...(search.visitor === 'all'
      ? [
          {
            name: 'Visitor',
            className: 'text-ink-2',
            cell: ({ visitor }: Click) => (visitor === 'human' ? 'person' : visitor),
          },
        ]
      : []),
  ];
  return (
    <Records
      kind="clicks"
      title="Clicks"
      read={read}
      columns={columns}
      empty="They come with the first click on a link."
    />
  );
}

/** Below the method, since a column of its own would leave no room for the others. */
function Claimed({ name, test }: Pick<Network, 'name' | 'test'>) {
  return (
    <span className="meta block">
      {formatNetwork(name)} {test ? 'tests' : 'claims it'}
    </span>
  );
}

export function Installs() {
  const { appId } = useParams({ from: '/$appId' });
  const search = useListSearch('installs');
  const read = useRecords('installs', search);
  const hasInvited = read.data?.some(({ invitedBy }) => invitedBy !== null) === true;
  const columns: Column<Install>[] = [
    {
      name: 'When',
      cell: ({ id, installedAt }) => (
        <Link
          to="/$appId/installs/$installId"
          params={{ appId, installId: id }}
          search={filtersOf(search)}
          className="link"
        >
          <Time at={installedAt} />
        </Link>
      ),
    },
    {
      name: 'Matched by',
      cell: ({ existingUser, method, confidence, network }) => (
        <>
          {existingUser ? 'Existing user' : methodName(method, confidence)}
          {network !== null && <Claimed {...network} />}
        </>
      ),
    },
    ...SOURCE,
    ...(hasInvited ? [INVITER] : []),
    ...PHONE,
    USER,
  ];
  return (
    <Records
      kind="installs"
      title="Installs and opens"
      read={read}
      columns={columns}
      empty="They come when the app with the SDK starts for the first time."
    />
  );
}

export function Opens() {
  const { appId } = useParams({ from: '/$appId' });
  const search = useListSearch('opens');
  const columns: Column<Open>[] = [
    {
      name: 'When',
      cell: ({ id, openedAt }) => (
        <Link to="/$appId/opens/$id" params={{ appId, id }} className="link">
          <Time at={openedAt} />
        </Link>
      ),
    },
    { name: 'Matched by', cell: ({ method, confidence }) => methodName(method, confidence) },
    ...SOURCE,
    ...PHONE,
    USER,
  ];
  return (
    <Records
      kind="opens"
      title="Installs and opens"
      read={useRecords('opens', search)}
      columns={columns}
      empty="They come when a link opens the app on a phone that has it."
    />
  );
}

export function Events() {
  const { appId } = useParams({ from: '/$appId' });
  const search = useListSearch('events');
  const columns: Column<Event>[] = [
    {
      name: 'When',
      cell: ({ id, occurredAt }) => (
        <Link to="/$appId/events/$id" params={{ appId, id }} className="link">
          <Time at={occurredAt} />
        </Link>
      ),
    },
    {
      name: 'Event',
      cell: ({ eventName }) => (
        <Name text={eventName}>
          <Link
            to="/$appId/events"
            params={{ appId }}
            search={{ ...filtersOf(search), eventName }}
            className="hover:text-accent hover:underline"
          >
            {eventName}
          </Link>
        </Name>
      ),
    },
    { name: 'Revenue', isNumber: true, cell: ({ revenue }) => revenue && formatMoney(revenue) },
    ...SOURCE,
    PLATFORM,
    USER,
  ];
  return (
    <Records
      kind="events"
      title="Events"
      read={useRecords('events', search)}
      columns={columns}
      empty="They come when the app reports what people do."
    />
  );
}
