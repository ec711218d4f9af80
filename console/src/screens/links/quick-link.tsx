import { createLink } from '@generated/sdk.gen.ts';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../api/app-context.ts';
import { useChange } from '../../api/use-change.ts';
import { useRefresh } from '../../api/use-read.ts';
import { Refusal } from '../../components/pane.tsx';

const route = getRouteApi('/$appId/links');

interface NewLink {
  readonly deepLinkPath: string;
  readonly fallbackUrl?: string;
}

/** What was probably meant by a whole address, or a path with spaces; null for a path as apps know it. */
function meant(text: string): NewLink | null {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) {
    const { pathname, search, href } = new URL(text);
    return { deepLinkPath: pathname + search, fallbackUrl: href };
  }
  return /\s/.test(text) ? { deepLinkPath: `/${text.replace(/^\//, '').replaceAll(/\s+/g, '-')}` } : null;
}

/** A link from one field; everything else has its defaults. */
export function QuickLink() {
  const { appId } = route.useParams();
  const navigate = useNavigate();
  const refresh = useRefresh();
  const change = useChange(
    async (client, body: NewLink) => (await createLink({ client, body, throwOnError: true })).data,
    async ({ shortCode }) => {
      await refresh('links');
      await navigate({ to: '/$appId/links/$shortCode', params: { appId, shortCode } });
    },
  );
  const [asked, setAsked] = useState<{ given: string; offer: NewLink } | null>(null);
  if (!useMay('editor')) return null;
  return (
    <form
      className="flex flex-wrap items-center gap-2 border-b border-line pb-4"
      onSubmit={(event) => {
        event.preventDefault();
        const given = String(new FormData(event.currentTarget).get('path')).trim();
        const offer = meant(given);
        if (offer === null) change.run({ deepLinkPath: given });
        else setAsked({ given, offer });
      }}
    >
      <input
        name="path"
        className="input mono max-w-90 flex-1 max-phone:max-w-none max-phone:basis-full"
        aria-label="Path in the app of a new link"
        placeholder="/shoes/42"
        onChange={() => setAsked(null)}
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
        {asked !== null && (
          <div className="note mt-2" role="status">
            <b>{asked.offer.fallbackUrl === undefined ? 'A path with spaces' : 'A whole address'}</b>
            <div className="min-w-0">
              <p>
                The app can open <code className="break-all">{asked.offer.deepLinkPath}</code>
                {asked.offer.fallbackUrl !== undefined && ', and everybody else the address'}.
              </p>
              <p className="flex flex-wrap gap-2 pt-1">
                <button type="button" className="btn btn-main" onClick={() => change.run(asked.offer)}>
                  {asked.offer.fallbackUrl === undefined ? 'Use this path' : 'Take it apart'}
                </button>
                <button
                  type="button"
                  className="btn"
                  onClick={() => change.run({ deepLinkPath: asked.given })}
                >
                  Keep it as it is
                </button>
              </p>
            </div>
          </div>
        )}
      </div>
    </form>
  );
}
