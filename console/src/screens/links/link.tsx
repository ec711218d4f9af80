/** One link: its numbers, who gets what, its code and its card. */
import { readLink } from '@generated/sdk.gen.ts';
import type { Link as AppLink } from '@generated/types.gen.ts';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../api/app-context.ts';
import { useRead } from '../../api/use-read.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { Head } from '../../components/page.tsx';
import { Loading, Pane } from '../../components/pane.tsx';
import { useShortcuts } from '../../components/shortcuts.ts';
import { Time } from '../../components/time.tsx';
import { plural } from '../../formats.ts';
import { Rules, Specials } from './behaviour.tsx';
import { Card } from './card.tsx';
import { DeleteLink } from './delete-link.tsx';
import { Findings, useDiagnosis, WhoGetsWhat } from './diagnosis.tsx';
import { History } from './history.tsx';
import { linkName } from './link-name.ts';
import { LinkNumbers } from './link-numbers.tsx';
import { QrCode } from './qr-code.tsx';
import { TagLinks } from './tag-links.tsx';

const route = getRouteApi('/$appId/links/$shortCode');

export function LinkPage() {
  const { shortCode } = route.useParams();
  const read = useRead(['links', shortCode], (client, signal) =>
    readLink({ client, path: { shortCode }, signal, throwOnError: true }),
  );
  const diagnosis = useDiagnosis(shortCode);
  return (
    <Pane read={read} rows={12}>
      {(link) => <Loaded key={link.id} link={link} isDiagnosed={!diagnosis.isLoading} />}
    </Pane>
  );
}

/** Findings stand above the numbers: these wait for them, so that nothing jumps. */
function Loaded({ link, isDiagnosed }: { link: AppLink; isDiagnosed: boolean }) {
  const { appId } = route.useParams();
  const name = link.title ?? link.ogTitle;
  // At a host of the app's own a link may have a path in place of its code.
  const own = link.shortUrl.endsWith(`/${link.shortCode}`) ? link.shortCode : (link.path ?? '');
  const host = link.shortUrl.slice(0, link.shortUrl.length - own.length).replace(/^https?:\/\//, '');
  return (
    <>
      <Head
        title={linkName(link)}
        above={
          <>
            <Link to="/$appId/links" params={{ appId }} className="hover:text-ink">
              Links
            </Link>
            {name !== null && (
              <>
                {' / '}
                <bdi>{name}</bdi>
              </>
            )}
          </>
        }
        heading={
          <>
            <span className="font-normal text-ink-3">{host}</span>
            {own}
          </>
        }
      >
        <LinkActions link={link} />
      </Head>
      <Facts link={link} />
      {isDiagnosed ? (
        <div className="grid grid-cols-[minmax(0,1fr)_300px] gap-x-12 max-wide:grid-cols-1">
          <div className="min-w-0">
            <Findings shortCode={link.shortCode} />
            <LinkNumbers link={link} />
            <Rules link={link} />
            <WhoGetsWhat shortCode={link.shortCode} />
          </div>
          <aside className="min-w-0">
            <QrCode link={link} />
            <Card link={link} />
            <History link={link} />
          </aside>
        </div>
      ) : (
        <Loading rows={12} />
      )}
    </>
  );
}

function LinkActions({ link }: { link: AppLink }) {
  const { appId, shortCode } = route.useParams();
  const navigate = useNavigate();
  const mayEdit = useMay('editor');
  const [isDeleting, setDeleting] = useState(false);
  const edit = () => void navigate({ to: '/$appId/links/$shortCode/edit', params: { appId, shortCode } });
  useShortcuts({
    c: () => document.querySelector<HTMLElement>('[data-copy]')?.click(),
    ...(mayEdit && { e: edit }),
  });
  return (
    <>
      <CopyButton className="btn btn-main" text={link.shortUrl}>
        Copy <kbd>C</kbd>
      </CopyButton>
      {mayEdit && (
        <div className="ml-auto flex flex-wrap gap-2 max-phone:ml-0">
          <button type="button" className="btn" onClick={edit}>
            Edit <kbd>E</kbd>
          </button>
          <Link to="/$appId/links/new" params={{ appId }} search={{ from: shortCode }} className="btn">
            Duplicate
          </Link>
          <button type="button" className="btn btn-quiet" onClick={() => setDeleting(true)}>
            Delete
          </button>
          <DeleteLink link={link} isOpen={isDeleting} onClose={() => setDeleting(false)} />
        </div>
      )}
    </>
  );
}

function Facts({ link }: { link: AppLink }) {
  const { appId } = route.useParams();
  return (
    <p className="flex flex-wrap gap-x-1.5 text-ink-2">
      <span>
        Leads to <code>{link.deepLinkPath}</code> in the app.
      </span>
      {link.campaignId !== null && (
        <span>
          Campaign{' '}
          <Link
            to="/$appId/links"
            params={{ appId }}
            search={{ campaignId: link.campaignId }}
            className="link"
          >
            {link.campaignId}
          </Link>
          .
        </span>
      )}
      {link.sandbox && <span className="tag">sandbox</span>}
      <TagLinks tags={link.tags} search={{}} />
      {link.importedClicks !== null && (
        <span>
          It came with {plural(link.importedClicks, 'click')} of its former service, which no number here
          includes.
        </span>
      )}
      {link.expiresAt !== null && (
        <span>
          {Date.parse(link.expiresAt) > Date.now() ? 'Ends ' : 'Ended '}
          <Time at={link.expiresAt} seconds={false} />.
        </span>
      )}
      <Specials link={link} />
    </p>
  );
}
