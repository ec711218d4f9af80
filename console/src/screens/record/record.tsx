/** Pages of one click, open or event. An install has its trace. */
import { listInstalls, readClick, readEvent, readOpen } from '@generated/sdk.gen.ts';
import type { Click, Event, Open } from '@generated/types.gen.ts';
import { getRouteApi } from '@tanstack/react-router';
import { useRead } from '../../api/use-read.ts';
import { Device } from '../../components/device.tsx';
import { Fact, Facts } from '../../components/facts.tsx';
import { Pane } from '../../components/pane.tsx';
import { Time } from '../../components/time.tsx';
import { ToInstall } from '../../components/to-install.tsx';
import { ToUser } from '../../components/to-user.tsx';
import { formatMoney, METHODS } from '../../formats.ts';
import { methodName } from '../records/records.tsx';
import { Came, Page, Phone, ToClick, ToLink, Values } from './page.tsx';

export function ClickPage() {
  const { id } = getRouteApi('/$appId/clicks/$id').useParams();
  const read = useRead(['clicks', id], (client, signal) =>
    readClick({ client, path: { id }, signal, throwOnError: true }),
  );
  return <Pane read={read}>{(click) => <OfClick key={click.id} click={click} />}</Pane>;
}

function OfClick({ click }: { click: Click }) {
  const { clickedAt, visitor, visitorReason, referrer, utm, query, deviceName, deviceModel, erasedAt } =
    click;
  const { ruleId, ruleName, pathRest } = click;
  const tags = Object.entries(utm).filter(([, value]) => value !== null);
  return (
    <Page kind="click" at={clickedAt} record={click}>
      <Facts>
        <Came record={click} />
        <Fact name="Visitor">{visitor === 'human' ? 'A person' : `${visitor}: ${visitorReason ?? ''}`}</Fact>
        {erasedAt === null && (
          <>
            <Fact name="From">{referrer ?? 'Not told'}</Fact>
            {ruleId !== null && <Fact name="Rule of the link">{ruleName ?? 'One without a name'}</Fact>}
            {pathRest !== null && (
              <Fact name="After the link’s address">
                <code className="[overflow-wrap:anywhere]">/{pathRest}</code>
              </Fact>
            )}
            {tags.map(([name, value]) => (
              <Fact key={name} name={`UTM ${name}`}>
                {value}
              </Fact>
            ))}
            {deviceModel !== null && (
              <Fact name="Device">
                <Device name={deviceName} model={deviceModel} />
              </Fact>
            )}
          </>
        )}
      </Facts>
      <ClaimedBy click={click} />
      <Values title="Parameters of the address" values={query} />
    </Page>
  );
}

/** A click that many follow has at most one install. */
function ClaimedBy({ click: { id, sandbox } }: { click: Click }) {
  const query = { q: id, limit: 1, ...(sandbox && { sandbox: 'true' as const }) };
  const { data } = useRead(['installs', 'of click', id], (client, signal) =>
    listInstalls({ client, query, signal, throwOnError: true }),
  );
  const [install] = data ?? [];
  return (
    <p className="min-h-9 pt-4">
      {data !== undefined &&
        (install === undefined ? (
          'No install has this click.'
        ) : (
          <>
            The install of <ToInstall installId={install.id} at={install.installedAt} /> has this click.
          </>
        ))}
    </p>
  );
}

export function OpenPage() {
  const { id } = getRouteApi('/$appId/opens/$id').useParams();
  const read = useRead(['opens', id], (client, signal) =>
    readOpen({ client, path: { id }, signal, throwOnError: true }),
  );
  return <Pane read={read}>{(open) => <OfOpen key={open.id} open={open} />}</Pane>;
}

function OfOpen({ open }: { open: Open }) {
  const { openedAt, method, confidence, clickId, installId, userId, sandbox, erasedAt } = open;
  return (
    <Page kind="open" at={openedAt} record={open}>
      <p className="max-w-[34ch] pt-4 text-page">
        {method === 'ORGANIC'
          ? 'No link gets this open.'
          : method === 'DIRECT'
            ? 'The link itself opened the app.'
            : `A click brought it, by ${METHODS[method].toLowerCase()}.`}
      </p>
      <Facts>
        <Came record={open} />
        <Fact name="Matched by">{methodName(method, confidence)}</Fact>
        {clickId !== null && <ToClick clickId={clickId} />}
        {installId !== null && (
          <Fact name="Install">
            <ToInstall installId={installId} />
          </Fact>
        )}
        {erasedAt === null && <Phone record={open} />}
        {userId !== null && (
          <Fact name="User">
            <ToUser userId={userId} isSandbox={sandbox} />
          </Fact>
        )}
      </Facts>
    </Page>
  );
}

export function EventPage() {
  const { id } = getRouteApi('/$appId/events/$id').useParams();
  const read = useRead(['events', id], (client, signal) =>
    readEvent({ client, path: { id }, signal, throwOnError: true }),
  );
  return <Pane read={read}>{(event) => <OfEvent key={event.id} event={event} />}</Pane>;
}

function OfEvent({ event }: { event: Event }) {
  const { occurredAt, createdAt, eventName, revenue, installId, userId, lastShortCode, sandbox } = event;
  return (
    <Page kind="event" at={occurredAt} record={event}>
      <p className="pt-4 text-page break-words" dir="auto">
        {eventName} {revenue !== null && <b>{formatMoney(revenue)}</b>}
      </p>
      <Facts>
        <Fact name="Recorded">
          <Time at={createdAt} />
        </Fact>
        <Came record={event} />
        {lastShortCode !== null && <ToLink name="Latest link" shortCode={lastShortCode} />}
        <Fact name="Install">
          <ToInstall installId={installId} />
        </Fact>
        {event.erasedAt === null && (
          <Fact name="User">
            {userId === null ? 'Nobody was signed in' : <ToUser userId={userId} isSandbox={sandbox} />}
          </Fact>
        )}
      </Facts>
      <Values title="Properties" values={event.properties} />
    </Page>
  );
}
