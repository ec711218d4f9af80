import { readLink, updateLink } from '@generated/sdk.gen.ts';
import type { Link as AppLink } from '@generated/types.gen.ts';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../api/app-context.ts';
import { ApiError } from '../../api/error.ts';
import { useChange } from '../../api/use-change.ts';
import { useRead, useRefresh } from '../../api/use-read.ts';
import { Head } from '../../components/page.tsx';
import { NoPermission, Pane } from '../../components/pane.tsx';
import { formatMoment } from '../../formats.ts';
import type { LinkFields } from './link-fields.ts';
import { LinkForm } from './link-form.tsx';
import { linkName } from './link-name.ts';

const route = getRouteApi('/$appId/links/$shortCode/edit');

export function EditLink() {
  const { appId, shortCode } = route.useParams();
  const mayEdit = useMay('editor');
  const read = useRead(['links', shortCode], (client, signal) =>
    readLink({ client, path: { shortCode }, signal, throwOnError: true }),
  );
  /** By another session, in place of what is typed here. */
  const [loaded, setLoaded] = useState<AppLink | null>(null);
  const name = read.data === undefined ? `/${shortCode}` : linkName(read.data);
  return (
    <>
      <Head
        title={`Edit ${name}`}
        above={
          <Link to="/$appId/links/$shortCode" params={{ appId, shortCode }} className="hover:text-ink">
            <bdi>{name}</bdi>
          </Link>
        }
      />
      {mayEdit ? (
        <Pane read={read}>
          {(link) => <Editor key={loaded?.updatedAt} latest={loaded ?? link} onLoad={setLoaded} />}
        </Pane>
      ) : (
        <NoPermission text="An editor or an owner changes links." />
      )}
    </>
  );
}

function Editor({ latest, onLoad }: { latest: AppLink; onLoad: (theirs: AppLink) => void }) {
  const { appId, shortCode } = route.useParams();
  const navigate = useNavigate();
  const refresh = useRefresh();
  /** The first values of the form: a later read must not replace what the user types. */
  const [link] = useState(latest);
  const [theirs, setTheirs] = useState<AppLink | null>(null);
  const change = useChange(
    async (client, { fields, isForced }: { fields: LinkFields; isForced: boolean }) => {
      const { data: stored } = await readLink({ client, path: { shortCode }, throwOnError: true });
      const seen = theirs ?? link;
      if (stored.updatedAt !== seen.updatedAt && !(isForced && theirs?.updatedAt === stored.updatedAt)) {
        setTheirs(stored);
        throw new ApiError('Nothing was saved. Compare, then save yours or load theirs.', 'console.conflict');
      }
      await updateLink({ client, path: { shortCode }, body: fields, throwOnError: true });
    },
    async () => {
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
      {theirs !== null && <Conflict before={link} theirs={theirs} />}
      <LinkForm
        link={link}
        action={theirs === null ? 'Save' : 'Save mine over theirs'}
        error={change.error}
        isRunning={change.isRunning}
        onSubmit={(fields) => change.run({ fields, isForced: theirs !== null })}
      >
        {theirs !== null && (
          <button type="button" className="btn" onClick={() => onLoad(theirs)}>
            Load theirs
          </button>
        )}
        <Link
          to="/$appId/links/$shortCode"
          params={{ appId, shortCode }}
          className="btn btn-quiet"
          ignoreBlocker
        >
          Cancel
        </Link>
      </LinkForm>
    </>
  );
}

function Conflict({ before, theirs }: { before: AppLink; theirs: AppLink }) {
  const changed = Object.entries(theirs).filter(
    ([name, value]) =>
      name !== 'updatedAt' &&
      JSON.stringify(value) !== JSON.stringify(Object.entries(before).find(([key]) => key === name)?.[1]),
  );
  return (
    <div className="note mt-3" role="alert">
      <b>Changed meanwhile</b>
      <div>
        <p>
          This link was saved by another session at {formatMoment(theirs.updatedAt)}. Your text is still here.
        </p>
        <ul>
          {changed.map(([name, value]) => (
            <li key={name} className="break-all">
              <code>{name}</code> is now <code>{JSON.stringify(value)}</code>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
