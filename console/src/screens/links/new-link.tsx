import { createLink, readLink } from '@generated/sdk.gen.ts';
import type { Link as AppLink } from '@generated/types.gen.ts';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useMay } from '../../api/app-context.ts';
import { useChange } from '../../api/use-change.ts';
import { useRead, useRefresh } from '../../api/use-read.ts';
import { Head } from '../../components/page.tsx';
import { NoPermission, Pane } from '../../components/pane.tsx';
import type { LinkFields } from './link-fields.ts';
import { LinkForm } from './link-form.tsx';
import { linkName } from './link-name.ts';

const route = getRouteApi('/$appId/links/new');

/** Empty, with an address to take apart, or with everything of another link but its code. */
export function NewLink() {
  const { appId } = route.useParams();
  const { from } = route.useSearch();
  const mayEdit = useMay('editor');
  return (
    <>
      <Head
        title={from === undefined ? 'New link' : `New link like /${from}`}
        above={
          <Link to="/$appId/links" params={{ appId }} className="hover:text-ink">
            Links
          </Link>
        }
      />
      {!mayEdit ? (
        <NoPermission text="An editor or an owner makes links." />
      ) : from === undefined ? (
        <Maker original={null} />
      ) : (
        <Duplicate key={from} shortCode={from} />
      )}
    </>
  );
}

function Duplicate({ shortCode }: { shortCode: string }) {
  const read = useRead(['links', shortCode], (client, signal) =>
    readLink({ client, path: { shortCode }, signal, throwOnError: true }),
  );
  return <Pane read={read}>{(link) => <Maker original={link} />}</Pane>;
}

function Maker({ original }: { original: AppLink | null }) {
  const { appId } = route.useParams();
  const { address } = route.useSearch();
  const navigate = useNavigate();
  const refresh = useRefresh();
  const change = useChange(
    async (client, fields: LinkFields) => {
      // The form does not show these.
      const metadata = original === null ? {} : { metadata: original.metadata };
      return (await createLink({ client, body: { ...metadata, ...fields }, throwOnError: true })).data;
    },
    async ({ shortCode }) => {
      await refresh('links');
      await navigate({
        to: '/$appId/links/$shortCode',
        params: { appId, shortCode },
        ignoreBlocker: true,
      });
    },
  );
  return (
    <>
      {original !== null && (
        <p className="text-ink-2">
          Everything is as on <bdi>{linkName(original)}</bdi>, but the short code
          {original.path !== null && ', the address'}
          {original.expiresAt !== null && ' and its end'}. Nothing is made before you say so.
        </p>
      )}
      <LinkForm
        link={original}
        isNew
        address={address}
        action="Make link"
        error={change.error}
        isRunning={change.isRunning}
        onSubmit={change.run}
      />
    </>
  );
}
