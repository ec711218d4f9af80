import { Link } from '@tanstack/react-router';
import { use } from 'react';
import { AppContext } from '../../api/app-context.ts';
import { Mark } from '../../components/mark.tsx';
import { Time } from '../../components/time.tsx';
import {
  formatCount,
  formatCountry,
  formatMoney,
  formatProbability,
  METHODS,
  PLATFORMS,
} from '../../formats.ts';
import type { LiveRecord } from './live-record.ts';

/** @param joined the records of the test phone, which one line joins. */
export function Rows({
  records,
  joined,
}: {
  records: readonly LiveRecord[];
  joined: ReadonlySet<LiveRecord>;
}) {
  const first = records.findIndex((record) => joined.has(record));
  const last = records.findLastIndex((record) => joined.has(record));
  return (
    <>
      <ol className="mt-4 border-t border-line">
        {records.map((record, index) => (
          <Row
            key={`${record.type} ${record.id}`}
            record={record}
            isJoined={joined.has(record)}
            rail={railOf(index, first, last)}
          />
        ))}
      </ol>
      <p className="meta pt-2">
        The last {formatCount(records.length)} since this page was opened. Countries by{' '}
        <a className="link" href="https://db-ip.com" target="_blank" rel="noreferrer">
          DB-IP
        </a>
        , CC BY 4.0.
      </p>
    </>
  );
}

type Rail = 'none' | 'top' | 'on' | 'end';
const RAILS: Readonly<Record<Rail, string>> = {
  none: 'hidden',
  top: 'top-1/2 -bottom-px',
  on: '-top-px -bottom-px',
  end: '-top-px bottom-1/2',
};

function railOf(index: number, first: number, last: number): Rail {
  if (first === last || index < first || index > last) return 'none';
  if (index === first) return 'top';
  return index === last ? 'end' : 'on';
}

function Row({ record, isJoined, rail }: { record: LiveRecord; isJoined: boolean; rail: Rail }) {
  const { app } = use(AppContext);
  const { type, at, shortCode, platform, country } = record;
  return (
    <li
      className={`relative grid min-h-9 grid-cols-[20px_72px_minmax(0,1fr)_140px_64px_120px] items-center gap-x-4 border-b border-line max-wide:grid-cols-[20px_72px_minmax(0,1fr)_140px_64px] max-phone:grid-cols-[20px_minmax(0,1fr)_auto] max-phone:gap-x-3 max-phone:py-2 ${isJoined ? 'bg-accent-soft' : ''}`}
    >
      <span aria-hidden="true" className={`absolute left-0 w-0.5 bg-accent ${RAILS[rail]}`} />
      {isJoined && (
        <span aria-hidden="true" className="absolute top-1/2 left-0 h-0.5 w-2 -translate-y-1/2 bg-accent" />
      )}
      <span className={`ml-2 grid ${isJoined ? 'text-accent' : ''}`}>
        <Mark kind={type} />
      </span>
      <span className="text-ink-3 max-phone:order-2 max-phone:text-right">
        <Time at={at} isToday />
      </span>
      <span className="min-w-0 truncate max-phone:order-1">
        <What record={record} />
      </span>
      <span className="mono min-w-0 truncate max-phone:order-3 max-phone:col-start-2">
        {shortCode === null ? (
          <span className="text-ink-3">no link</span>
        ) : (
          <Link
            to="/$appId/links/$shortCode"
            params={{ appId: app.id, shortCode }}
            className="hover:text-accent hover:underline"
          >
            /{shortCode}
          </Link>
        )}
      </span>
      <span className="text-ink-2 max-phone:order-4 max-phone:text-right">
        {platform === null ? '' : PLATFORMS[platform]}
      </span>
      <span className="truncate text-ink-2 max-wide:hidden">
        {country === null ? '' : formatCountry(country)}
      </span>
    </li>
  );
}

const QUIET = 'hover:text-accent hover:underline';

function What({ record }: { record: LiveRecord }) {
  const { app } = use(AppContext);
  switch (record.type) {
    case 'click':
      return (
        <>
          <Link to="/$appId/clicks/$id" params={{ appId: app.id, id: record.id }} className={QUIET}>
            Click
          </Link>
          {record.referrer !== null && <span className="text-ink-2"> from {record.referrer}</span>}
        </>
      );
    case 'event':
      return (
        <>
          <Link to="/$appId/events/$id" params={{ appId: app.id, id: record.id }} className={QUIET}>
            {record.eventName}
          </Link>{' '}
          <span className="text-ink-2">{record.revenue !== null && formatMoney(record.revenue)}</span>
        </>
      );
    default: {
      const { method, confidence } = record;
      const how =
        confidence === null
          ? METHODS[method]
          : `${METHODS[method]}, ${formatProbability(Number(confidence))}`;
      const name = record.type === 'install' ? 'Install' : 'Open';
      const installId = record.type === 'install' ? record.id : record.installId;
      return (
        <>
          {installId === null ? (
            name
          ) : (
            <Link to="/$appId/installs/$installId" params={{ appId: app.id, installId }} className={QUIET}>
              {name}
            </Link>
          )}{' '}
          <span className="text-ink-2">{how.toLowerCase()}</span>
        </>
      );
    }
  }
}
