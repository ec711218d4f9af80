import { createLink } from '@generated/sdk.gen.ts';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useMay } from '../../api/app-context.ts';
import { useChange } from '../../api/use-change.ts';
import { useRefresh } from '../../api/use-read.ts';
import { Refusal } from '../../components/pane.tsx';

const route = getRouteApi('/$appId/links');

/** A link from one field; everything else has its defaults. */
export function QuickLink() {
  const { appId } = route.useParams();
  const navigate = useNavigate();
  const refresh = useRefresh();
  const change = useChange(
    async (client, deepLinkPath: string) =>
      (await createLink({ client, body: { deepLinkPath }, throwOnError: true })).data,
    async ({ shortCode }) => {
      await refresh('links');
      await navigate({ to: '/$appId/links/$shortCode', params: { appId, shortCode } });
    },
  );
  if (!useMay('editor')) return null;
  return (
    <form
      className="flex flex-wrap items-center gap-2 border-b border-line pb-4"
      onSubmit={(event) => {
        event.preventDefault();
        change.run(String(new FormData(event.currentTarget).get('path')));
      }}
    >
      <input
        name="path"
        className="input mono max-w-90 flex-1 max-phone:max-w-none max-phone:basis-full"
        aria-label="Path in the app of a new link"
        placeholder="/shoes/42"
        required
      />
      <button type="submit" className="btn btn-main" aria-disabled={change.isRunning}>
        Make link
      </button>
      <Link to="/$appId/links/new" params={{ appId }} className="link text-meta">
        With everything else
      </Link>
      <div className="w-full empty:hidden">
        <Refusal error={change.error} />
      </div>
    </form>
  );
}
