/** The attempts to send records, newest first, with what became of each record. */
import { listDestinationDeliveries, redeliverBatch } from '@generated/sdk.gen.ts';
import type { Destination, DestinationDelivery } from '@generated/types.gen.ts';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../api/app-context.ts';
import { useChange } from '../../api/use-change.ts';
import { useRead, useRefresh } from '../../api/use-read.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { Empty } from '../../components/page.tsx';
import { Pane, Refusal } from '../../components/pane.tsx';
import { Time } from '../../components/time.tsx';
import { PAGE, REFETCH_MS, ResultPicker, Status } from '../../delivery/attempts.tsx';
import { formatCount, plural, shortId } from '../../formats.ts';
import { readDetails, stateOf } from './outcome.ts';

const route = getRouteApi('/$appId/destinations/$destinationId');
const SHOWN_RECORDS = 10;

export function SentLog({ destination }: { destination: Destination }) {
  const { appId, destinationId } = route.useParams();
  const { before, failed } = route.useSearch();
  const navigate = route.useNavigate();
  const query = {
    limit: PAGE,
    ...(failed === 'true' && { success: false }),
    ...(before !== undefined && { before }),
  };
  const read = useRead(
    ['deliveries', destinationId, query],
    (client, signal) =>
      listDestinationDeliveries({ client, path: { destinationId }, query, signal, throwOnError: true }),
    { refetchMs: REFETCH_MS },
  );
  const page = { to: '/$appId/destinations/$destinationId', params: { appId, destinationId } } as const;
  return (
    <>
      <div className="py-3">
        <ResultPicker failed={failed} onPick={(picked) => void navigate({ search: { failed: picked } })} />
      </div>
      <div className="border-t border-line">
        <Pane read={read} rows={6}>
          {(deliveries) =>
            deliveries.length === 0 ? (
              <Nothing isFailed={failed === 'true'} enabled={destination.enabled} />
            ) : (
              <ol>
                {deliveries.map((delivery) => (
                  <Row key={delivery.id} delivery={delivery} />
                ))}
              </ol>
            )
          }
        </Pane>
      </div>
      <nav aria-label="Pages" className="flex gap-2 pt-3 empty:hidden">
        {before !== undefined && (
          <Link {...page} search={{ failed }} className="btn">
            Newest
          </Link>
        )}
        {read.data?.length === PAGE && (
          <Link {...page} search={{ failed, before: read.data.at(-1)?.id }} className="btn">
            Older
          </Link>
        )}
      </nav>
    </>
  );
}

function Nothing({ isFailed, enabled }: { isFailed: boolean; enabled: boolean }) {
  return (
    <Empty title={isFailed ? 'Nothing failed' : 'Nothing sent yet'}>
      {!isFailed && (
        <p className="text-ink-2">
          {enabled
            ? 'Records that come from now on are sent within seconds, many in one call where the network takes it.'
            : 'Switch it on, and records that come from then on are sent.'}
        </p>
      )}
    </Empty>
  );
}

/** Opens to the reasons and the records. */
function Row({ delivery }: { delivery: DestinationDelivery }) {
  const { httpStatus, success, startedAt, records } = delivery;
  const state = stateOf(delivery);
  return (
    <li className="border-b border-line">
      <details className="group">
        <summary className="grid min-h-9 cursor-pointer grid-cols-[12px_40px_96px_minmax(0,1fr)_auto] items-center gap-x-3 px-2 py-1.5 hover:bg-hover max-phone:grid-cols-[12px_40px_minmax(0,1fr)]">
          <span aria-hidden="true" className="text-ink-3 group-open:rotate-90">
            ›
          </span>
          <Status status={httpStatus} isSuccess={success} />
          <span className="text-ink-2">{plural(records.length, 'record')}</span>
          <span
            className={`[overflow-wrap:anywhere] max-phone:col-span-full max-phone:pl-6 ${state.isBad ? 'text-bad' : ''}`}
          >
            {state.text}
          </span>
          <span className="text-meta text-ink-2 max-phone:col-span-full max-phone:pl-6">
            <Time at={startedAt} />
          </span>
        </summary>
        <Content delivery={delivery} />
      </details>
    </li>
  );
}

function Content({ delivery }: { delivery: DestinationDelivery }) {
  const mayEdit = useMay('editor');
  const { id, durationMs, attemptNumber, details, test } = delivery;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3 pb-3 pl-6">
      {mayEdit ? (
        <Said details={details} />
      ) : (
        <p className="meta">Editors and owners see what the network said.</p>
      )}
      <Records delivery={delivery} />
      <p className="meta">
        Attempt {attemptNumber}, {formatCount(durationMs)} ms
      </p>
      {mayEdit && !test && <Again id={id} />}
    </div>
  );
}

function Said({ details }: { details: string }) {
  if (details === '') return null;
  const said = readDetails(details);
  if ('text' in said) return <CodeBlock label="What the network answered" text={said.text} />;
  return (
    <ul className="grid gap-1">
      {said.reasons.map(({ reason, records, example }) => (
        <li key={reason}>
          <p className="[overflow-wrap:anywhere]">
            {plural(records, 'record')}: {reason}{' '}
            {example !== undefined && (
              <span className="text-ink-2">
                Such as <RecordLink {...example} />.
              </span>
            )}
          </p>
        </li>
      ))}
      {said.otherReasons > 0 && <li>{plural(said.otherReasons, 'more reason')}.</li>}
    </ul>
  );
}

function Records({ delivery: { records } }: { delivery: DestinationDelivery }) {
  const shown = records.slice(0, SHOWN_RECORDS);
  if (shown.length === 0) return <p className="meta">Its records were erased.</p>;
  return (
    <ul aria-label="Records" className="flex flex-wrap gap-x-4 gap-y-1 text-ink-2">
      {shown.map((record) => (
        <li key={record.id}>
          <RecordLink {...record} />
        </li>
      ))}
      {records.length > shown.length && <li>and {formatCount(records.length - shown.length)} more</li>}
    </ul>
  );
}

function RecordLink({ kind, id }: { kind: 'install' | 'open' | 'event'; id: string }) {
  const { appId } = route.useParams();
  const text = `${kind} ${shortId(id)}`;
  if (kind === 'install')
    return (
      <Link to="/$appId/installs/$installId" params={{ appId, installId: id }} className="link underline">
        {text}
      </Link>
    );
  return (
    <Link
      to={kind === 'open' ? '/$appId/opens/$id' : '/$appId/events/$id'}
      params={{ appId, id }}
      className="link underline"
    >
      {text}
    </Link>
  );
}

function Again({ id }: { id: string }) {
  const refresh = useRefresh();
  const [isSent, setSent] = useState(false);
  const change = useChange<void, unknown>(
    (client) => redeliverBatch({ client, path: { attemptId: id }, throwOnError: true }),
    async () => {
      setSent(true);
      await Promise.all([refresh('deliveries'), refresh('destinations')]);
    },
  );
  return (
    <div>
      <button type="button" className="btn" aria-disabled={change.isRunning} onClick={() => change.run()}>
        Send again
      </button>
      <p role="status" className="meta empty:hidden">
        {isSent && 'On its way: its records are sent as they are now.'}
      </p>
      <Refusal error={change.error} />
    </div>
  );
}
