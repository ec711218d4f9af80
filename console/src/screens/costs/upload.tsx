import type { Client } from '@generated/client/index.ts';
import { storeCosts } from '@generated/sdk.gen.ts';
import type { CostsStored, StoreCosts } from '@generated/types.gen.ts';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { useMay } from '../../api/app-context.ts';
import { useChange } from '../../api/use-change.ts';
import { useRefresh } from '../../api/use-read.ts';
import { download } from '../../components/download.ts';
import { Head } from '../../components/page.tsx';
import { NoPermission, Refusal } from '../../components/pane.tsx';
import { plural } from '../../formats.ts';
import { useSuggestions } from '../links/use-suggestions.ts';
import { useNetworkCampaigns } from './network-campaigns.ts';
import { templateOf } from './template.ts';
import { UploadReport } from './upload-report.tsx';

const route = getRouteApi('/$appId/costs/upload');
const MAX_BYTES = 1024 * 1024;

/** What was read when the file was chosen, so that exactly what was shown is stored. */
interface Chosen {
  readonly name: string;
  readonly file: Blob;
  readonly understood: CostsStored;
}

export function UploadCosts() {
  const { appId } = route.useParams();
  const mayEdit = useMay('editor');
  return (
    <>
      <Head
        title="Upload costs"
        above={
          <Link to="/$appId/costs" params={{ appId }} className="link">
            Costs
          </Link>
        }
      />
      {mayEdit ? <Upload /> : <NoPermission text="Editors and owners upload costs." />}
    </>
  );
}

function Upload() {
  const { appId } = route.useParams();
  const refresh = useRefresh();
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const [stored, setStored] = useState<CostsStored | null>(null);
  const look = useChange(
    async (client, file: File) => {
      if (file.size > MAX_BYTES)
        throw new Error(`${file.name} has more than 1 MiB. Split it into smaller files.`);
      const copy = new Blob([await file.arrayBuffer()]);
      const understood = await send(client, copy, true);
      return { name: file.name, file: copy, understood };
    },
    (answer) => setChosen(answer),
  );
  const store = useChange(
    async (client, { file }: Chosen) => await send(client, file, false),
    async (answer) => {
      setStored(answer);
      await Promise.all([refresh('costs'), refresh('stats')]);
    },
  );
  const start = (file: File) => {
    setChosen(null);
    setStored(null);
    store.reset();
    look.run(file);
  };
  const changes = chosen === null ? 0 : chosen.understood.created + chosen.understood.replaced;
  return (
    <div className="grid max-w-[860px] gap-4 pt-3">
      <Explanation />
      <FileField onPick={start} isReading={look.isRunning} />
      <Refusal error={look.error} />
      {chosen !== null && stored === null && (
        <section aria-label={`What ${chosen.name} has`} className="grid gap-3">
          <h2 className="break-words">{chosen.name}</h2>
          <UploadReport report={chosen.understood} isStored={false} />
          <Refusal error={store.error} />
          {changes > 0 && (
            <button
              type="button"
              className="btn btn-main justify-self-start"
              aria-disabled={store.isRunning}
              onClick={() => store.run(chosen)}
            >
              Store {plural(changes, 'cost')}
            </button>
          )}
        </section>
      )}
      {stored !== null && (
        <section aria-label="What was stored" className="grid gap-3">
          <h2 className="break-words">{chosen?.name}</h2>
          <UploadReport report={stored} isStored />
          <Link to="/$appId/costs" params={{ appId }} className="btn justify-self-start">
            Show the costs
          </Link>
        </section>
      )}
    </div>
  );
}

function Explanation() {
  const { campaigns } = useSuggestions();
  const ofNetworks = useNetworkCampaigns();
  return (
    <div className="grid gap-2 text-ink-2">
      <p>
        The first line names the columns: <code>date</code> (as 2026-01-31), <code>campaignId</code>,{' '}
        <code>amount</code> and <code>currency</code>, in any order; others are ignored. Campaigns of an ad
        network have <code>network</code>, such as apple_ads or meta, and <code>networkCampaignId</code> in
        place of <code>campaignId</code>. Nothing is stored before you have seen what was understood.
      </p>
      <p>
        <button
          type="button"
          className="btn"
          onClick={() => {
            const type = 'text/csv;charset=utf-8';
            download(new Blob([templateOf(campaigns, ofNetworks)], { type }), 'costs.csv');
          }}
        >
          Download a template
        </button>
      </p>
    </div>
  );
}

function FileField({ onPick, isReading }: { onPick: (file: File) => void; isReading: boolean }) {
  const id = useId();
  return (
    <div className="grid gap-1.5">
      <label htmlFor={id} className="font-semibold">
        CSV file
      </label>
      <input
        id={id}
        type="file"
        accept=".csv,.tsv,.txt,text/csv"
        aria-describedby={`${id}-more`}
        className="max-w-full file:mr-3 file:h-(--control) file:rounded-m file:border file:border-solid file:border-line-control file:bg-surface file:px-3 hover:file:bg-hover"
        onChange={({ target }) => {
          const file = target.files?.[0];
          if (file !== undefined) onPick(file);
          // So that the same file can be chosen again after it was mended.
          target.value = '';
        }}
      />
      <p id={`${id}-more`} className="meta" role="status">
        {isReading
          ? 'Reading'
          : 'At most 5,000 rows and 1 MiB. A cost of the same day, campaign and currency is replaced.'}
      </p>
    </div>
  );
}

async function send(client: Client, file: Blob, isDryRun: boolean): Promise<CostsStored> {
  const { data } = await storeCosts({
    client,
    query: { dryRun: isDryRun ? 'true' : 'false' },
    headers: { 'Content-Type': 'text/csv' },
    // As it is: the generated types know the JSON body alone.
    body: file as unknown as StoreCosts,
    bodySerializer: null,
    throwOnError: true,
  });
  return data;
}
