/** The place to stand with a test phone in the hand: a code to scan, and how far the phone has come. */
import { readLink } from '@generated/sdk.gen.ts';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useRead } from '../../api/use-read.ts';
import { Mark, type RecordKind } from '../../components/mark.tsx';
import { Section } from '../../components/page.tsx';
import { QrPicture } from '../../components/qr-picture.tsx';
import { Time } from '../../components/time.tsx';
import { formatDuration, formatProbability, METHODS, type Method, PLATFORMS } from '../../formats.ts';
import { LinkChooser } from './link-chooser.tsx';
import { MARKER, type Walk } from './walk.ts';

const route = getRouteApi('/$appId/live');

export function TestPhone({
  shortCode,
  walk,
  marker,
  onPick,
  onStartOver,
}: {
  shortCode: string | undefined;
  walk: Walk;
  marker: string;
  onPick: (shortCode: string | undefined) => void;
  onStartOver: () => void;
}) {
  if (shortCode === undefined)
    return (
      <Section title="Your test phone" className="max-wide:row-start-1 wide:pt-4">
        <p className="py-3 text-ink-2">
          Choose a link: its code shows here for your phone, and this page shows what follows from it alone.
        </p>
        <LinkChooser onPick={onPick} />
      </Section>
    );
  return (
    <Section
      title="Your test phone"
      className="max-wide:row-start-1 wide:pt-4"
      aside={
        <>
          <button type="button" className="btn btn-quiet" onClick={onStartOver}>
            Start over
          </button>
          <button type="button" className="btn btn-quiet" onClick={() => onPick(undefined)}>
            Other link
          </button>
        </>
      }
    >
      <Code shortCode={shortCode} marker={marker} />
      <Stages walk={walk} />
    </Section>
  );
}

function Code({ shortCode, marker }: { shortCode: string; marker: string }) {
  const query = `${MARKER}=${marker}`;
  const { appId } = route.useParams();
  const { sandbox } = route.useSearch();
  const { data: link } = useRead(['links', shortCode], (client, signal) =>
    readLink({ client, path: { shortCode }, signal, throwOnError: true }),
  );
  const isOther = link !== undefined && link.sandbox !== (sandbox === 'true');
  return (
    <div className="grid gap-3 py-4 max-wide:grid-cols-[240px_minmax(0,1fr)] max-wide:items-center max-phone:grid-cols-1">
      <QrPicture shortCode={shortCode} size={240} query={query} />
      <div className="grid gap-1">
        <p className="text-ink-2">
          Scan it with the phone, or open{' '}
          <Link to="/$appId/links/$shortCode" params={{ appId, shortCode }} className="link break-all">
            {link?.shortUrl ?? `/${shortCode}`}?{query}
          </Link>{' '}
          there.
        </p>
        {isOther && (
          <p className="text-warn">
            {link.sandbox
              ? 'This link is of the sandbox: switch Sandbox on to see its records.'
              : 'This link is live: switch Sandbox off to see its records.'}
          </p>
        )}
      </div>
    </div>
  );
}

function Stages({ walk: { click, install, open, event } }: { walk: Walk }) {
  const { appId } = route.useParams();
  const isThere = install === null && (open !== null || event !== null);
  const isDirect = open?.method === 'DIRECT' && click === null;
  const installId = install?.id ?? open?.installId ?? event?.installId ?? null;
  return (
    <>
      <ol>
        <Stage
          kind="click"
          name="Click"
          at={click?.at}
          waiting={isDirect ? 'None: the link opened the app by itself.' : 'Waiting. Scan the code.'}
        >
          {click?.platform == null ? 'Not from a phone' : PLATFORMS[click.platform]}
          {click?.referrer != null && `, from ${click.referrer}`}.
        </Stage>
        <Stage
          kind="install"
          name="Install"
          at={install?.at}
          after={click?.at}
          waiting={
            isThere ? 'Before: this phone had the app already.' : 'Waiting. Install the app, then start it.'
          }
        >
          {install !== null && howText(install)}{' '}
          {installId !== null && (
            <Link to="/$appId/installs/$installId" params={{ appId, installId }} className="link">
              Why
            </Link>
          )}
        </Stage>
        <Stage
          kind="open"
          name="Open"
          at={open?.at}
          after={install?.at ?? click?.at}
          waiting="Waiting. Scan the code again, with the app on the phone."
        >
          {open !== null && howText(open)}
        </Stage>
        <Stage
          kind="event"
          name="Event"
          at={event?.at}
          after={open?.at ?? install?.at}
          waiting="Waiting. Do in the app what you want to count."
        >
          {event?.eventName}
        </Stage>
      </ol>
      {installId !== null && event !== null && (
        <div className="mt-3 border-t-2 border-accent pt-3">
          <p>
            <b>It works on this phone.</b>
          </p>
          <p className="text-ink-2">
            To see it as a new phone, delete the app, start over and scan once more.
          </p>
        </div>
      )}
    </>
  );
}

function howText({ method, confidence }: { method: Method; confidence: string | null }): string {
  const sure = confidence === null ? '' : `, ${formatProbability(Number(confidence))} sure`;
  return `${METHODS[method]}${sure}.`;
}

function Stage({
  kind,
  name,
  at,
  after,
  waiting,
  children,
}: {
  kind: RecordKind;
  name: string;
  at: string | undefined;
  /** When the stage before was. */
  after?: string | undefined;
  waiting: string;
  children: ReactNode;
}) {
  const isDone = at !== undefined;
  const seconds =
    at === undefined || after === undefined ? null : (Date.parse(at) - Date.parse(after)) / 1_000;
  return (
    <li className="group relative grid grid-cols-[12px_minmax(0,1fr)] gap-x-4 pb-4 last:pb-0">
      <span
        aria-hidden="true"
        className={`absolute top-5 bottom-0 left-[5px] border-l-2 group-last:hidden ${isDone ? 'border-accent' : 'border-dotted border-mute'}`}
      />
      <span className={`pt-0.5 ${isDone ? 'text-accent' : 'text-mute'}`}>
        <Mark kind={kind} />
      </span>
      <div className="min-w-0">
        <p>
          <b className={isDone ? '' : 'font-normal text-ink-2'}>{name}</b>{' '}
          {at !== undefined && (
            <span className="text-ink-3">
              <Time at={at} isToday />
              {seconds !== null && seconds >= 0 && `, ${formatDuration(seconds)} later`}
            </span>
          )}
        </p>
        <p className="break-words text-ink-2">{isDone ? children : waiting}</p>
      </div>
    </li>
  );
}
