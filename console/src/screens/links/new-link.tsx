import { createLink } from '@generated/sdk.gen.ts';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useMay } from '../../api/app-context.ts';
import { useChange } from '../../api/use-change.ts';
import { useRefresh } from '../../api/use-read.ts';
import { Head } from '../../components/page.tsx';
import { NoPermission } from '../../components/pane.tsx';
import type { LinkFields } from './link-fields.ts';
import { LinkForm } from './link-form.tsx';

const route = getRouteApi('/$appId/links/new');

export function NewLink() {
  const { appId } = route.useParams();
  const navigate = useNavigate();
  const refresh = useRefresh();
  const mayEdit = useMay('editor');
  const change = useChange(
    async (client, body: LinkFields) => (await createLink({ client, body, throwOnError: true })).data,
    async ({ shortCode }) => {
      await refresh('links');
      await navigate({ to: '/$appId/links/$shortCode', params: { appId, shortCode } });
    },
  );
  return (
    <>
      <Head
        title="New link"
        above={
          <Link to="/$appId/links" params={{ appId }} className="hover:text-ink">
            Links
          </Link>
        }
      />
      {mayEdit ? (
        <LinkForm link={null} action="Make link" {...change} onSubmit={change.run} />
      ) : (
        <NoPermission text="An editor or an owner makes links." />
      )}
    </>
  );
}
