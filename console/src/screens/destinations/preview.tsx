/** The exact request that a real record would make. */
import { listEvents, listInstalls, previewDestination } from '@generated/sdk.gen.ts';
import type { ChooseRecord, Destination, DestinationPreview } from '@generated/types.gen.ts';
import { useState } from 'react';
import { useRead } from '../../api/use-read.ts';
import { CodeBlock, indented } from '../../components/code-block.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Choice } from '../../components/field.tsx';
import { Empty } from '../../components/page.tsx';
import { Pane } from '../../components/pane.tsx';
import { formatMoment, PLATFORMS } from '../../formats.ts';
import { TestOf } from './test-of.tsx';

const RECENT = 10;

interface Recent {
  readonly kind: 'install' | 'event';
  readonly id: string;
  readonly text: string;
}

export function Preview({ destination }: { destination: Destination }) {
  const read = useRecent(destination.sandbox);
  return (
    <Pane read={read} rows={3}>
      {(records) =>
        records.length === 0 ? (
          <Empty title="No record yet">
            <p className="text-ink-2">
              Once the app has reported an install or an event, you see here how it would be sent.
            </p>
          </Empty>
        ) : (
          <OfRecord destination={destination} records={records} />
        )
      }
    </Pane>
  );
}

function OfRecord({ destination, records }: { destination: Destination; records: readonly Recent[] }) {
  const [chosenId, setChosen] = useState<string | null>(null);
  // A list that is read again keeps what is chosen.
  const chosen = records.find(({ id }) => id === chosenId) ?? records[0];
  if (chosen === undefined) return null;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3 pt-3">
      <div className="max-w-[560px]">
        <Choice
          label="Of a recent record"
          value={chosen.id}
          onChange={({ target }) => setChosen(target.value)}
          options={records.map(({ id, text }) => [id, text] as const)}
          help="Nothing is sent by looking."
        />
      </div>
      <TestOf key={`test ${chosen.id}`} destination={destination} chosen={chosenBy(chosen)} />
      <Outcome key={chosen.id} destination={destination} record={chosen} />
    </div>
  );
}

function Outcome({ destination, record }: { destination: Destination; record: Recent }) {
  const { config, mapping, events, eventNames, consent } = destination;
  // A saved change makes another request.
  const version = JSON.stringify({ config, mapping, events, eventNames, consent });
  const read = useRead(['preview', destination.id, record.id, version], (client, signal) =>
    previewDestination({
      client,
      path: { destinationId: destination.id },
      body: chosenBy(record),
      signal,
      throwOnError: true,
    }),
  );
  return (
    <Pane read={read} rows={6}>
      {(preview) => <Request preview={preview} />}
    </Pane>
  );
}

function chosenBy({ kind, id }: Recent): ChooseRecord {
  return kind === 'install' ? { installId: id } : { eventId: id };
}

function Request({ preview: { request, reason } }: { preview: DestinationPreview }) {
  if (request === null)
    return (
      <div className="note">
        <b>It would not be sent</b>
        <p>{reason}</p>
      </div>
    );
  const { method, url, headers, body } = request;
  const head = [`${method} ${url}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)];
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <CodeBlock label="Address and headers" text={head.join('\n')} />
      <p className="meta flex items-center justify-between gap-2">
        Exactly this would be sent, but for the secrets, which are masked.
        <CopyButton className="btn btn-quiet" text={body}>
          Copy the body
        </CopyButton>
      </p>
      <CodeBlock label="Body" text={indented(body)} />
    </div>
  );
}

/** The newest installs and events, as a list to choose from. */
function useRecent(isSandbox: boolean) {
  return useRead(['preview-records', isSandbox], async (client, signal) => {
    const query = { limit: RECENT, sandbox: isSandbox ? ('true' as const) : ('false' as const) };
    const [{ data: installs }, { data: events }] = await Promise.all([
      listInstalls({ client, query, signal, throwOnError: true }),
      listEvents({ client, query, signal, throwOnError: true }),
    ]);
    const data: Recent[] = [
      ...events.map(({ id, eventName, createdAt }) => ({
        ...{ kind: 'event' as const, id, at: createdAt },
        text: `Event ${eventName}, ${formatMoment(createdAt)}`,
      })),
      ...installs.map(({ id, platform, installedAt }) => ({
        ...{ kind: 'install' as const, id, at: installedAt },
        text: `Install on ${PLATFORMS[platform]}, ${formatMoment(installedAt)}`,
      })),
    ].sort((one, other) => (one.at < other.at ? 1 : -1));
    return { data };
  });
}
