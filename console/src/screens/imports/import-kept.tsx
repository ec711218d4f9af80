import type { Import } from '@generated/types.gen.ts';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useMay } from '../../api/app-context.ts';
import { plural } from '../../formats.ts';
import { sentFiles } from './chosen-file.ts';
import { SendingState } from './sending.tsx';
import { useSend } from './use-send.ts';

const route = getRouteApi('/$appId');

/** The import after its dry run, of the same file. */
export function ImportKept({ data: { id, created, source } }: { data: Import }) {
  const { appId } = route.useParams();
  const navigate = useNavigate();
  const mayEdit = useMay('editor');
  const sent = sentFiles.get(id);
  const sending = useSend((started) => {
    sentFiles.delete(id);
    void navigate({ to: '/$appId/links/import/$importId', params: { appId, importId: started.id } });
  });
  if (!mayEdit) return <p className="text-ink-2">Nothing is stored yet. Editors and owners import links.</p>;
  if (sent === undefined)
    return (
      <p className="text-ink-2">
        Nothing is stored yet, and this page no longer has the file: it was reloaded, or opened elsewhere.{' '}
        <Link to="/$appId/links/import" params={{ appId }} search={{ source }} className="link">
          Choose the file again
        </Link>
      </p>
    );
  return (
    <div className="grid gap-3">
      {sending.share === null && (
        <div className="flex flex-wrap items-center gap-3">
          <button type="button" className="btn btn-main" onClick={() => sending.send(sent, false)}>
            Import {plural(created, 'link')}
          </button>
          <p className="min-w-0 break-words text-ink-2">
            Nothing is stored yet. From <bdi>{sent.file.name}</bdi>, which this page keeps until it is
            reloaded.
          </p>
        </div>
      )}
      <SendingState sending={sending} bytes={sent.file.size} />
    </div>
  );
}
