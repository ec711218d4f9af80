import type { Event, InstallDetails, OpenDetails } from '@generated/types.gen.ts';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Mark, type RecordKind } from '../../components/mark.tsx';
import { Section } from '../../components/page.tsx';
import { Time } from '../../components/time.tsx';
import { formatMoney, METHODS } from '../../formats.ts';
import { propertiesText } from '../user/row.tsx';
import { useEvents } from './use-trace.ts';

interface Moment {
  readonly id: string;
  readonly at: string;
  readonly kind: RecordKind;
  readonly text: ReactNode;
}

/** Opens and events of the install, joined by one line. */
export function Aftermath({ install }: { install: InstallDetails }) {
  const events = useEvents(install);
  const moments = [...install.opens.map(ofOpen), ...events.map(ofEvent)].toSorted((a, b) =>
    a.at.localeCompare(b.at),
  );
  if (moments.length === 0) return null;
  return (
    <Section title="What came after">
      <ol className="pt-2">
        {moments.map(({ id, at, kind, text }) => (
          <li key={id} className="group relative grid min-h-8 grid-cols-[12px_auto_1fr] items-center gap-3">
            <span
              aria-hidden="true"
              className="absolute top-1/2 left-[5px] h-full w-0.5 bg-accent group-last:hidden"
            />
            <span className="relative z-1 grid h-4 place-items-center bg-surface text-accent">
              <Mark kind={kind} />
            </span>
            <span className="text-ink-3">
              <Time at={at} />
            </span>
            <span className="min-w-0 break-words">{text}</span>
          </li>
        ))}
      </ol>
    </Section>
  );
}

function ofOpen({ id, openedAt, method }: OpenDetails): Moment {
  const text =
    method === 'DIRECT'
      ? 'Opened by the link itself'
      : method === 'ORGANIC'
        ? 'Opened without a link'
        : `Opened, ${METHODS[method].toLowerCase()}`;
  return { id, at: openedAt, kind: 'open', text };
}

function ofEvent({ id, occurredAt, eventName, revenue, properties }: Event): Moment {
  const text = (
    <>
      <ToEvent id={id} eventName={eventName} /> {revenue !== null && formatMoney(revenue)}{' '}
      <span className="text-ink-2">{propertiesText(properties)}</span>
    </>
  );
  return { id, at: occurredAt, kind: 'event', text };
}

function ToEvent({ id, eventName }: { id: string; eventName: string }) {
  const { appId } = useParams({ from: '/$appId' });
  return (
    <Link
      to="/$appId/events/$id"
      params={{ appId, id }}
      dir="auto"
      className="font-semibold hover:text-accent hover:underline"
    >
      {eventName}
    </Link>
  );
}
