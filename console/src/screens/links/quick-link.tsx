import { createLink } from '@generated/sdk.gen.ts';
import type { CreateLink } from '@generated/types.gen.ts';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useId, useState } from 'react';
import { useMay } from '../../api/app-context.ts';
import { SERVICE_URL } from '../../api/client.ts';
import { useChange } from '../../api/use-change.ts';
import { useRefresh } from '../../api/use-read.ts';
import { Refusal } from '../../components/pane.tsx';
import { parseParams } from './link-fields.ts';
import { type Meaning, type Taken, takeApart } from './take-apart.ts';
import { Understood } from './understood.tsx';

const route = getRouteApi('/$appId/links');

/** A link from one field; everything else has its defaults. What is no path is explained before a link is made. */
export function QuickLink() {
  const { appId } = route.useParams();
  const navigate = useNavigate();
  const refresh = useRefresh();
  const moreId = useId();
  const change = useChange(
    async (client, body: CreateLink) => (await createLink({ client, body, throwOnError: true })).data,
    async ({ shortCode }) => {
      await refresh('links');
      await navigate({ to: '/$appId/links/$shortCode', params: { appId, shortCode } });
    },
  );
  const [asked, setAsked] = useState<{ given: string; meaning: Meaning } | null>(null);
  if (!useMay('editor')) return null;
  return (
    <form
      className="flex flex-wrap items-center gap-2 border-b border-line pb-4"
      onSubmit={(event) => {
        event.preventDefault();
        const given = String(new FormData(event.currentTarget).get('path')).trim();
        const meaning = takeApart(given, [new URL(SERVICE_URL).host]);
        if (meaning.kind === 'path') change.run({ deepLinkPath: meaning.path });
        else setAsked({ given, meaning });
      }}
    >
      <input
        name="path"
        className="input mono max-w-90 flex-1 max-phone:max-w-none max-phone:basis-full"
        aria-label="Path in the app, or a web address, of a new link"
        aria-invalid={asked?.meaning.kind === 'wrong' || asked?.meaning.kind === 'spaces' || undefined}
        aria-describedby={moreId}
        placeholder="/shoes/42 or a web address"
        autoCapitalize="off"
        autoCorrect="off"
        spellCheck={false}
        onChange={() => setAsked(null)}
        pattern=".*\S.*"
        title="The path of a screen of the app, or the address of a web page"
        required
      />
      <button type="submit" className="btn btn-main" aria-disabled={change.isRunning}>
        Make link
      </button>
      <Link to="/$appId/links/new" params={{ appId }} className="link text-meta">
        Form with all fields
      </Link>
      <div id={moreId} className="w-full empty:hidden">
        <Refusal error={change.error} />
        {asked !== null && <Asked {...asked} run={change.run} />}
      </div>
    </form>
  );
}

function Asked({
  given,
  meaning,
  run,
}: {
  given: string;
  meaning: Meaning;
  run: (body: CreateLink) => void;
}) {
  const { appId } = route.useParams();
  if (meaning.kind === 'path') return null;
  if (meaning.kind === 'wrong')
    return (
      <p role="alert" className="pt-1 text-bad">
        {meaning.text}
      </p>
    );
  if (meaning.kind === 'spaces')
    return (
      <Note title="No path has spaces">
        <p>Which one does the app know?</p>
        <Buttons>
          {meaning.offers.map((path) => (
            <button key={path} type="button" className="btn" onClick={() => run({ deepLinkPath: path })}>
              <span className="mono truncate">{path}</span>
            </button>
          ))}
        </Buttons>
      </Note>
    );
  const { deepLinkPath } = meaning.taken;
  return (
    <Note title="An address, taken apart">
      <Understood meaning={meaning} />
      <Buttons>
        {deepLinkPath !== undefined && (
          <button
            type="button"
            className="btn btn-main"
            onClick={() => run(bodyOf(meaning.taken, deepLinkPath))}
          >
            Make this link
          </button>
        )}
        <Link
          to="/$appId/links/new"
          params={{ appId }}
          search={{ address: given }}
          className={deepLinkPath === undefined ? 'btn btn-main' : 'btn'}
        >
          {deepLinkPath === undefined ? 'Add the path' : 'Change it first'}
        </Link>
        {meaning.maybePath && (
          <button type="button" className="btn" onClick={() => run({ deepLinkPath: given })}>
            It is a path in the app
          </button>
        )}
      </Buttons>
    </Note>
  );
}

function Note({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="note mt-2" role="status">
      <b>{title}</b>
      <div className="min-w-0">{children}</div>
    </div>
  );
}

function Buttons({ children }: { children: ReactNode }) {
  return <p className="flex flex-wrap gap-2 pt-2">{children}</p>;
}

function bodyOf({ deepLinkParams, ...taken }: Taken, deepLinkPath: string): CreateLink {
  const params = parseParams(deepLinkParams ?? null);
  return { ...taken, deepLinkPath, ...(params != null && { deepLinkParams: params }) };
}
