import type { Event, Install, Open } from '@generated/types.gen.ts';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Device } from '../../components/device.tsx';
import { Mark } from '../../components/mark.tsx';
import { Time } from '../../components/time.tsx';
import { formatMoney, formatSystem, METHODS } from '../../formats.ts';
import { methodName } from '../records/records.tsx';
import type { Moment } from './use-user.ts';

/** A record of the user, on the line that joins them all. */
export function Row({ moment }: { moment: Moment }) {
  const { kind, at } = moment;
  return (
    <li className="group relative grid min-h-8 grid-cols-[12px_auto_minmax(0,1fr)] items-center gap-x-3 max-phone:grid-cols-[12px_minmax(0,1fr)] max-phone:py-1.5">
      <span
        aria-hidden="true"
        className="absolute top-1/2 left-[5px] h-full w-0.5 bg-accent group-last:hidden"
      />
      <span className="relative z-1 grid h-4 place-items-center bg-surface text-accent">
        <Mark kind={kind} />
      </span>
      <span className="min-w-32 text-ink-3 max-phone:col-start-2">
        <Time at={at} />
      </span>
      <span className="min-w-0 break-words max-phone:col-start-2">
        <What moment={moment} />
      </span>
    </li>
  );
}

function What({ moment }: { moment: Moment }) {
  switch (moment.kind) {
    case 'install':
      return <OfInstall install={moment.record} />;
    case 'open':
      return <OfOpen open={moment.record} />;
    case 'event':
      return <OfEvent event={moment.record} />;
  }
}

function OfInstall({ install }: { install: Install }) {
  const { appId } = useParams({ from: '/$appId' });
  const { id, method, confidence, existingUser, platform, osVersion, deviceName, deviceModel } = install;
  return (
    <>
      <Link to="/$appId/installs/$installId" params={{ appId, installId: id }} className="link font-semibold">
        Install
      </Link>
      , {existingUser ? 'had the app before' : methodName(method, confidence).toLowerCase()}
      <OfLink record={install} />{' '}
      <Grey>
        {formatSystem(platform, osVersion)} <Device name={deviceName} model={deviceModel} />
      </Grey>
    </>
  );
}

function OfOpen({ open }: { open: Open }) {
  const { appId } = useParams({ from: '/$appId' });
  const how = open.method === 'DIRECT' ? 'by the link itself' : METHODS[open.method].toLowerCase();
  return (
    <>
      <Link to="/$appId/opens/$id" params={{ appId, id: open.id }} className="link font-semibold">
        Open
      </Link>
      , {how}
      <OfLink record={open} />
    </>
  );
}

function OfEvent({ event: { id, eventName, revenue, properties } }: { event: Event }) {
  const { appId } = useParams({ from: '/$appId' });
  return (
    <>
      <Link
        to="/$appId/events/$id"
        params={{ appId, id }}
        dir="auto"
        className="link font-semibold break-words"
      >
        {eventName}
      </Link>{' '}
      {revenue !== null && formatMoney(revenue)} <Grey>{propertiesText(properties)}</Grey>
    </>
  );
}

function Grey({ children }: { children: ReactNode }) {
  return <span className="text-ink-2">{children}</span>;
}

function OfLink({ record: { shortCode } }: { record: { readonly shortCode: string | null } }) {
  const { appId } = useParams({ from: '/$appId' });
  if (shortCode === null) return null;
  return (
    <>
      , by{' '}
      <Link to="/$appId/links/$shortCode" params={{ appId, shortCode }} className="link mono">
        /{shortCode}
      </Link>
    </>
  );
}

const SHOWN_PROPERTIES = 4;
const SHOWN_CHARACTERS = 200;

export function propertiesText(properties: Readonly<Record<string, unknown>>): string {
  return Object.entries(properties)
    .slice(0, SHOWN_PROPERTIES)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
    .slice(0, SHOWN_CHARACTERS);
}
