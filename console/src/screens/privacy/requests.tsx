import { listErasures } from '@generated/sdk.gen.ts';
import type { ListedErasure } from '@generated/types.gen.ts';
import { useState } from 'react';
import { useRead } from '../../api/use-read.ts';
import { Empty, Section } from '../../components/page.tsx';
import { Pager } from '../../components/pager.tsx';
import { Pane } from '../../components/pane.tsx';
import { Time } from '../../components/time.tsx';
import { shortId } from '../../formats.ts';
import { inWords, sum } from './person.ts';

const ON_PAGE = 20;
const ASK_EVERY_MS = 2_000;

/** All erasure requests of the app; the newest ones move while they are worked on. */
export function Requests() {
  const [starts, setStarts] = useState<readonly string[]>([]);
  const before = starts.at(-1);
  const read = useRead(
    ['erasures', before ?? ''],
    (client, signal) => {
      const query = { limit: ON_PAGE, ...(before !== undefined && { before }) };
      return listErasures({ client, query, signal, throwOnError: true });
    },
    { refetchMs: ASK_EVERY_MS },
  );
  return (
    <Section title="Erasure requests">
      <Pane read={read} rows={2}>
        {(requests) => (
          <>
            {requests.length === 0 ? <None /> : <Table requests={requests} />}
            <Pager
              page={starts.length + 1}
              isLast={requests.length < ON_PAGE}
              onPick={(page) =>
                setStarts(
                  page > starts.length + 1
                    ? [...starts, requests.at(-1)?.id ?? '']
                    : starts.slice(0, page - 1),
                )
              }
            />
          </>
        )}
      </Pane>
    </Section>
  );
}

function None() {
  return (
    <Empty title="None yet">
      <p className="text-ink-2">Each request stays here, with its state and what it erased.</p>
    </Empty>
  );
}

const BY = { userId: 'User ID', ipAddress: 'IP address' } as const;

function Table({ requests }: { requests: readonly ListedErasure[] }) {
  return (
    <table className="table">
      <thead>
        <tr>
          <th scope="col">Asked</th>
          <th scope="col">Request</th>
          <th scope="col">By</th>
          <th scope="col">State</th>
          <th scope="col">Erased</th>
        </tr>
      </thead>
      <tbody>
        {inCalls(requests).map((request) => (
          <tr key={request.id}>
            <td data-name="Asked">
              <Time at={request.requestedAt} />
            </td>
            <td data-name="Request">
              <code title={request.id}>{shortId(request.id)}</code>
            </td>
            <td data-name="By">{request.identifiers.map((name) => BY[name]).join(', ')}</td>
            <td data-name="State">
              <span role="status">
                {request.completedAt === null ? (
                  'In progress'
                ) : (
                  <>
                    Done <Time at={request.completedAt} />
                  </>
                )}
              </span>
            </td>
            <td data-name="Erased" className="break-words">
              {request.completedAt === null ? '' : inWords(request.counts)}
              {request.spareShared && <span className="meta block">without those of unknown people</span>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The service makes a request for each identifier of a call; whichever comes first erases all. */
function inCalls(requests: readonly ListedErasure[]): ListedErasure[] {
  return requests.flatMap((request, index) => {
    const isSame = (other: ListedErasure | undefined) =>
      other?.requestedAt === request.requestedAt && request.identifiers.length > 1;
    if (isSame(requests[index - 1])) return [];
    const second = requests[index + 1];
    return [second !== undefined && isSame(second) ? both(request, second) : request];
  });
}

function both(one: ListedErasure, two: ListedErasure): ListedErasure {
  const ends = [one.completedAt, two.completedAt];
  const [last = null] = ends.includes(null) ? [] : ends.toSorted().reverse();
  return { ...two, completedAt: last, counts: sum(one.counts, two.counts) };
}
