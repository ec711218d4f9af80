import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Check } from '../../components/field.tsx';
import { type SentFile, sentFiles, typeOf } from './chosen-file.ts';
import { ColumnsField } from './columns-field.tsx';
import { FileField } from './file-field.tsx';
import { columnsText, missingOf } from './mapping.ts';
import { SendingState } from './sending.tsx';
import { SourceField } from './source-field.tsx';
import { type ImportSource, SOURCES, sourceOf } from './sources.ts';
import { type Chosen, useChosen } from './use-chosen.ts';
import { useSend } from './use-send.ts';

const route = getRouteApi('/$appId/links/import');

/** Service, file and columns of an import, which is tried before it stores anything. */
export function ImportForm() {
  const { appId } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate();
  const chosen = useChosen(SOURCES.find(({ id }) => id === search.source)?.id ?? null);
  const [isDryRun, setDryRun] = useState(true);
  const sending = useSend((started, sent) => {
    if (started.dryRun) sentFiles.set(started.id, sent);
    void navigate({ to: '/$appId/links/import/$importId', params: { appId, importId: started.id } });
  });
  const sent = sentOf(chosen);
  const isSending = sending.share !== null;
  return (
    <form
      className="grid max-w-[860px] grid-cols-[minmax(0,1fr)] gap-5 pt-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (sent !== null) sending.send(sent, isDryRun);
      }}
    >
      <fieldset disabled={isSending} className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-5">
        <SourceField value={chosen.source} onPick={chosen.pickSource} />
        {chosen.source !== null && (
          <FileField
            file={chosen.picked}
            isReading={chosen.isReading}
            error={chosen.error}
            onPick={(file) => {
              sending.reset();
              chosen.pickFile(file);
            }}
          />
        )}
        <Head chosen={chosen} />
        {sent !== null && (
          <Check
            label="Try it first"
            help="Judges every row and stores nothing. You import the same file from its report."
            checked={isDryRun}
            onChange={({ target }) => setDryRun(target.checked)}
          />
        )}
      </fieldset>
      {sent !== null && !isSending && (
        <button type="submit" className="btn btn-main justify-self-start">
          {isDryRun ? 'Try the import' : 'Import the links'}
        </button>
      )}
      <SendingState sending={sending} bytes={chosen.picked?.size ?? 0} />
    </form>
  );
}

/** Null as long as something is missing. */
function sentOf({ source, read, mapping }: Chosen): SentFile | null {
  if (source === null || read === null) return null;
  const { file, head, fields } = read;
  const type = typeOf(head);
  if (source !== 'csv') return head.problem === null ? { file, source, type, columns: null } : null;
  if (head.columns.length > 0 && missingOf(mapping, fields.required).length > 0) return null;
  const columns =
    head.columns.length === 0 ? null : columnsText(mapping, head.columns, head.problem !== null);
  return { file, source, type, columns };
}

/** What the beginning of the file says: another service, or its columns. */
function Head({ chosen: { source, read, mapping, pickSource, setMapping } }: { chosen: Chosen }) {
  if (source === null || read === null) return null;
  const { head, fields } = read;
  const { problem } = head;
  const isFatal = problem !== null && source !== 'csv';
  return (
    <>
      {problem?.rightful != null ? (
        <OtherService rightful={problem.rightful} onPick={pickSource} />
      ) : (
        isFatal && (
          <div role="alert" className="note note-bad">
            <b>Wrong file</b>
            <p className="min-w-0 break-words">{problem.message}</p>
          </div>
        )
      )}
      {source === 'csv' && head.columns.length > 0 && (
        <ColumnsField columns={head.columns} mapping={mapping} fields={fields} onChange={setMapping} />
      )}
    </>
  );
}

function OtherService({
  rightful,
  onPick,
}: {
  rightful: ImportSource;
  onPick: (source: ImportSource) => void;
}) {
  const { name } = sourceOf(rightful);
  return (
    <div role="alert" className="note">
      <b>A file of {name}</b>
      <p>
        Its columns are those of {name}, which is read more completely under its own name.{' '}
        <button type="button" className="btn" onClick={() => onPick(rightful)}>
          Read it as {name}
        </button>
      </p>
    </div>
  );
}
