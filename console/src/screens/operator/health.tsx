import { readHealth } from '@generated/sdk.gen.ts';
import type { Health as HealthReport } from '@generated/types.gen.ts';
import type { ReactNode } from 'react';
import { useRead } from '../../api/use-read.ts';
import { Section } from '../../components/page.tsx';
import { Pane } from '../../components/pane.tsx';
import { Time } from '../../components/time.tsx';
import { formatBytes, formatCount, formatDuration } from '../../formats.ts';

const ASK_EVERY_MS = 10_000;

/** Problems first, then the measurements of the service. */
export function Health() {
  const read = useRead(['health'], (client, signal) => readHealth({ client, signal, throwOnError: true }), {
    refetchMs: ASK_EVERY_MS,
  });
  return (
    <Pane read={read} rows={10}>
      {(health) => (
        <>
          <Problems health={health} />
          <div className="grid grid-cols-2 gap-x-12 max-phone:grid-cols-1">
            <Clicks health={health} />
            <Queues health={health} />
            <Disk health={health} />
            <Database health={health} />
          </div>
          <p className="meta pt-6">
            Throughline {health.version}, running since <Time at={health.startedAt} seconds={false} />. Asked
            every ten seconds, last <Time at={health.checkedAt} isToday />.
          </p>
        </>
      )}
    </Pane>
  );
}

function Problems({ health: { problems } }: { health: HealthReport }) {
  if (problems.length === 0)
    return (
      <p role="status" className="pt-4 text-lead">
        Nothing is wrong.
      </p>
    );
  return (
    <ul className="grid gap-2 pt-4">
      {problems.map(({ code, message }) => (
        <li key={code} className="note note-bad">
          <b>Wrong</b>
          <p>
            {message} <code className="text-ink-2">{code}</code>
          </p>
        </li>
      ))}
    </ul>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Section title={title}>
      <dl>{children}</dl>
    </Section>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex min-h-(--row) flex-wrap items-center justify-between gap-x-4 border-b border-line py-1">
      <dt className="text-ink-2">{name}</dt>
      <dd className="ml-auto text-right">{children}</dd>
    </div>
  );
}

function Clicks({ health: { journal } }: { health: HealthReport }) {
  return (
    <Part title="Clicks not stored yet">
      <Fact name="The oldest waits for the database">{ageOf(journal.oldestWaitingMs)}</Fact>
      <Fact name="Journal on disk">{formatBytes(journal.bytes)}</Fact>
    </Part>
  );
}

function Queues({ health: { queues } }: { health: HealthReport }) {
  return (
    <Part title="Work that waits">
      <Fact name="Webhook deliveries">{countOf(queues.deliveriesWaiting)}</Fact>
      <Fact name="The oldest delivery is due for">{ageOf(queues.oldestDeliveryMs)}</Fact>
      <Fact name="Deliveries given up since 0:00 UTC">{countOf(queues.deliveriesAbandonedToday)}</Fact>
      <Fact name="Records to add to the statistics">{countOf(queues.pendingCounts)}</Fact>
      <Fact name="Erasures under way">{formatCount(queues.erasuresRunning)}</Fact>
    </Part>
  );
}

function Disk({ health: { disk } }: { health: HealthReport }) {
  return (
    <Part title="Disk">
      <Fact name="Free">{sizeOf(disk.freeBytes)}</Fact>
      <Fact name="Kept free for clicks">{sizeOf(disk.reservedBytes)}</Fact>
      <Fact name="Used by the service">{sizeOf(disk.dataBytes)}</Fact>
    </Part>
  );
}

function Database({ health: { database, retention } }: { health: HealthReport }) {
  return (
    <Part title="Database">
      <Fact name="Answers">{database.status === 'ok' ? 'yes' : <span className="text-bad">no</span>}</Fact>
      <Fact name="Engine">
        {database.engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'} {database.version}
      </Fact>
      <Fact name="Size">{formatBytes(database.bytes)}</Fact>
      <Fact name="Its clock">{retention.clocksDiffer ? 'differs, so nothing old is deleted' : 'agrees'}</Fact>
    </Part>
  );
}

/** The service counts no further. */
const MAX_COUNTED = 100_000;

function countOf(count: number): string {
  return count < MAX_COUNTED ? formatCount(count) : `${formatCount(count)} or more`;
}

function ageOf(ms: number | null): string {
  return ms === null ? 'nothing waits' : formatDuration(ms / 1_000);
}

function sizeOf(bytes: number | null): string {
  return bytes === null ? 'not known' : formatBytes(bytes);
}
