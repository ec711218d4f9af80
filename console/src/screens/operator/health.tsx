import { readHealth } from '@generated/sdk.gen.ts';
import type { Health as HealthReport } from '@generated/types.gen.ts';
import type { ReactNode } from 'react';
import { SERVICE_URL } from '../../api/client.ts';
import { useRead } from '../../api/use-read.ts';
import { Section } from '../../components/page.tsx';
import { Pane } from '../../components/pane.tsx';
import { Time } from '../../components/time.tsx';
import { formatBytes, formatCount, formatDuration } from '../../formats.ts';
import { History } from './history.tsx';
import { FailingWebhooks, Problems } from './problems.tsx';

const ASK_EVERY_MS = 10_000;

/** Problems first, then the last day, then the measurements of the service. */
export function Health() {
  const read = useRead(['health'], (client, signal) => readHealth({ client, signal, throwOnError: true }), {
    refetchMs: ASK_EVERY_MS,
  });
  return (
    <>
      <Pane read={read} rows={10}>
        {(health) => (
          <>
            <Problems health={health} />
            <FailingWebhooks webhooks={health.webhooks} />
            <div className="grid grid-cols-2 gap-x-12 max-phone:grid-cols-1">
              <Waiting health={health} />
              <Database health={health} />
              <Disk health={health} />
              <Version health={health} />
            </div>
          </>
        )}
      </Pane>
      <History />
    </>
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

function Waiting({ health: { queues, journal } }: { health: HealthReport }) {
  return (
    <Part title="What waits">
      <Fact name="Oldest click that waits for the database">{ageOf(journal.oldestWaitingMs)}</Fact>
      <Fact name="Webhook deliveries">{countOf(queues.deliveriesWaiting)}</Fact>
      <Fact name="Oldest delivery is due for">{ageOf(queues.oldestDeliveryMs)}</Fact>
      <Fact name="Deliveries given up in 24 hours">{countOf(queues.deliveriesAbandoned24h)}</Fact>
      <Fact name="Records to add to the statistics">{countOf(queues.pendingCounts)}</Fact>
      <Fact name="Erasures">{formatCount(queues.erasuresRunning)}</Fact>
      <Fact name="Oldest erasure was requested">
        {queues.oldestErasureMs === null ? 'nothing waits' : `${ageOf(queues.oldestErasureMs)} ago`}
      </Fact>
    </Part>
  );
}

function Disk({ health: { database, disk, journal } }: { health: HealthReport }) {
  const { dataBytes, databaseBytes, journalBytes } = disk;
  const others =
    dataBytes === null || databaseBytes === null || journalBytes === null
      ? null
      : dataBytes - databaseBytes - journalBytes;
  return (
    <Part title="Disk of DATA_DIR">
      <Fact name="Free">{sizeOf(disk.freeBytes)}</Fact>
      <Fact name="Kept free for clicks">{sizeOf(disk.reservedBytes)}</Fact>
      <Fact name="Used by the service">{sizeOf(dataBytes)}</Fact>
      {database.engine === 'sqlite' && <Fact name="of it, the database">{sizeOf(databaseBytes)}</Fact>}
      <Fact name="of it, clicks not stored yet">{formatBytes(journal.bytes)}</Fact>
      <Fact name="of it, everything else">{sizeOf(others)}</Fact>
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
      <Fact name="Its clock">
        {retention.clocksDiffer ? 'differs, so nothing old is deleted' : 'agrees with this machine'}
      </Fact>
    </Part>
  );
}

function Version({ health: { backup, database, ...health } }: { health: HealthReport }) {
  const name = database.engine === 'sqlite' ? 'db backup' : 'pg_dump';
  return (
    <Part title="Backup and version">
      <Fact name="Newest backup">
        {backup.lastAt === null ? (
          <>
            not known; see{' '}
            <a href={`${SERVICE_URL}docs/guide/backup`} className="link underline">
              {name}
            </a>
          </>
        ) : (
          <Time at={backup.lastAt} seconds={false} />
        )}
      </Fact>
      <Fact name="Throughline">{health.version}</Fact>
      <Fact name="Running since">
        <Time at={health.startedAt} seconds={false} />
      </Fact>
      <Fact name="Asked every ten seconds, last">
        <Time at={health.checkedAt} isToday />
      </Fact>
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
