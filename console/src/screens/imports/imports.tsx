/** Imports of links from other services: a new one, and those of the last 30 days. */
import { listImports } from '@generated/sdk.gen.ts';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../api/app-context.ts';
import { useRead } from '../../api/use-read.ts';
import { Head, Section } from '../../components/page.tsx';
import { NoPermission, Pane } from '../../components/pane.tsx';
import { Ground } from './ground.tsx';
import { ImportForm } from './import-form.tsx';
import { PastImports } from './past-imports.tsx';

const route = getRouteApi('/$appId/links/import');
const PAGE = 20;
const LOOK_AGAIN_MS = 3_000;

export function Imports() {
  const { appId } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/$appId/links/import' });
  const mayEdit = useMay('editor');
  const [isRunning, setRunning] = useState(false);
  const query = { limit: PAGE, ...(search.before !== undefined && { before: search.before }) };
  const read = useRead(
    ['imports', query],
    (client, signal) => listImports({ client, query, signal, throwOnError: true }),
    isRunning ? { refetchMs: LOOK_AGAIN_MS } : {},
  );
  const running = read.data?.find(({ status }) => status === 'running');
  if ((running !== undefined) !== isRunning) setRunning(running !== undefined);
  return (
    <>
      <Head
        title="Import links"
        above={
          <Link to="/$appId/links" params={{ appId }} className="link">
            Links
          </Link>
        }
      />
      {mayEdit ? (
        <>
          <Ground />
          {running !== undefined && (
            <p role="status" className="pt-3 text-ink-2">
              An import is running, and an app has one at a time.{' '}
              <Link
                to="/$appId/links/import/$importId"
                params={{ appId, importId: running.id }}
                className="link"
              >
                See how far it is
              </Link>
            </p>
          )}
          <ImportForm />
        </>
      ) : (
        <NoPermission text="Editors and owners import links. You see the imports of the last 30 days." />
      )}
      <Section title={<h2 id="imports">Imports of the last 30 days</h2>} className="max-w-[860px]">
        <Pane read={read} rows={3}>
          {(imports) => (
            <>
              <PastImports imports={imports} />
              {imports.length === PAGE && (
                <button
                  type="button"
                  className="btn mt-3"
                  onClick={() => void navigate({ search: { ...search, before: imports.at(-1)?.id } })}
                >
                  Older
                </button>
              )}
            </>
          )}
        </Pane>
      </Section>
    </>
  );
}
