/** One import: how far it is, what became of the rows, and what to do next. */
import { readImport } from '@generated/sdk.gen.ts';
import type { Import } from '@generated/types.gen.ts';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useRead, useRefresh } from '../../api/use-read.ts';
import { Fact, Facts } from '../../components/facts.tsx';
import { Empty, Head } from '../../components/page.tsx';
import { Pane } from '../../components/pane.tsx';
import { Time } from '../../components/time.tsx';
import { ImportReport } from './import-report.tsx';
import { Running } from './running.tsx';
import { sourceOf } from './sources.ts';

const route = getRouteApi('/$appId/links/import/$importId');
const LOOK_AGAIN_MS = 1_000;

export function ImportPage() {
  const { importId } = route.useParams();
  return <OneImport key={importId} id={importId} />;
}

function OneImport({ id }: { id: string }) {
  const { appId } = route.useParams();
  const refresh = useRefresh();
  const [isRunning, setRunning] = useState(true);
  const read = useRead(
    ['imports', 'one', id],
    (client, signal) => readImport({ client, path: { id }, signal, throwOnError: true }),
    isRunning ? { refetchMs: LOOK_AGAIN_MS } : {},
  );
  const stillRuns = read.data === undefined ? read.error?.status !== 404 : read.data.status === 'running';
  if (stillRuns !== isRunning) setRunning(stillRuns);
  const hasEnded = read.data !== undefined && !stillRuns && !read.data.dryRun;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once it has ended
  useEffect(() => {
    if (hasEnded) void refresh('links');
  }, [hasEnded]);
  return (
    <>
      <Head
        title={read.data?.dryRun === true ? 'Dry run of an import' : 'Import'}
        above={
          <>
            <Link to="/$appId/links" params={{ appId }} className="link">
              Links
            </Link>
            {' / '}
            <Link to="/$appId/links/import" params={{ appId }} className="link">
              Import links
            </Link>
          </>
        }
      />
      {read.error?.code === 'import.not_found' ? (
        <Empty title="Not found">
          <p className="text-ink-2">No import has this address. Reports are kept for 30 days.</p>
        </Empty>
      ) : (
        <Pane read={read} rows={6}>
          {(data) => (
            <>
              <About data={data} />
              {data.status === 'running' ? <Running data={data} /> : <ImportReport data={data} />}
            </>
          )}
        </Pane>
      )}
    </>
  );
}

function About({ data: { source, createdAt, completedAt } }: { data: Import }) {
  return (
    <Facts>
      <Fact name="From">{sourceOf(source).name}</Fact>
      <Fact name="Started">
        <Time at={createdAt} />
      </Fact>
      {completedAt !== null && (
        <Fact name="Ended">
          <Time at={completedAt} />
        </Fact>
      )}
    </Facts>
  );
}
