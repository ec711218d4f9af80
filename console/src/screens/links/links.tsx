/** The links of an app: search, state, and a new one in one field. */
import { listLinks } from '@generated/sdk.gen.ts';
import type { Link as AppLink } from '@generated/types.gen.ts';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useMay } from '../../api/app-context.ts';
import { useRead } from '../../api/use-read.ts';
import { Picker } from '../../components/menu.tsx';
import { Empty, Head } from '../../components/page.tsx';
import { Pager } from '../../components/pager.tsx';
import { Pane } from '../../components/pane.tsx';
import { useShortcuts } from '../../components/shortcuts.ts';
import { Time } from '../../components/time.tsx';
import { formatCount } from '../../formats.ts';
import { QuickLink } from './quick-link.tsx';

const route = getRouteApi('/$appId/links');
const PAGE = 50;

const STATES = [
  ['all', 'All'],
  ['active', 'Active'],
  ['expired', 'Ended'],
] as const;

export function Links() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/$appId/links' });
  const page = Number(search.page ?? 1);
  const state = (['active', 'expired'] as const).find((name) => name === search.state);
  const query = {
    include: 'totals' as const,
    limit: PAGE,
    offset: (page - 1) * PAGE,
    ...(search.q !== undefined && { search: search.q }),
    ...(search.campaignId !== undefined && { campaignId: search.campaignId }),
    ...(state !== undefined && { state }),
  };
  const read = useRead(['links', query], (client, signal) =>
    listLinks({ client, query, signal, throwOnError: true }),
  );
  const isNarrowed = search.q !== undefined || search.campaignId !== undefined || state !== undefined;
  const set = (change: typeof search) => void navigate({ search: { ...search, page: undefined, ...change } });
  return (
    <>
      <Head title="Links">
        <SearchField value={search.q ?? ''} onSearch={(q) => set({ q })} />
        <Picker
          label="State"
          value={state ?? 'all'}
          options={STATES}
          onPick={(picked) => set({ state: picked === 'all' ? undefined : picked })}
        />
        {search.campaignId !== undefined && (
          <button
            type="button"
            className="tag min-h-7"
            aria-label={`Remove the filter Campaign: ${search.campaignId}`}
            onClick={() => set({ campaignId: undefined })}
          >
            Campaign: {search.campaignId} <span aria-hidden="true">×</span>
          </button>
        )}
      </Head>
      <div className="pt-4">
        <QuickLink />
        <Pane read={read} rows={10}>
          {(links) =>
            links.length === 0 && page === 1 ? (
              <NoLinks isNarrowed={isNarrowed} />
            ) : (
              <>
                <LinkTable links={links} />
                <Pager
                  page={page}
                  isLast={links.length < PAGE}
                  onPick={(next) => set({ page: next === 1 ? undefined : String(next) })}
                />
              </>
            )
          }
        </Pane>
      </div>
    </>
  );
}

const SEARCH_AFTER_MS = 250;

function SearchField({ value, onSearch }: { value: string; onSearch: (text: string | undefined) => void }) {
  const [text, setText] = useState(value);
  const field = useRef<HTMLInputElement>(null);
  useShortcuts({ f: () => field.current?.focus() });
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => onSearch(text === '' ? undefined : text), SEARCH_AFTER_MS);
    return () => clearTimeout(timer);
  });
  return (
    <input
      ref={field}
      type="search"
      className="input w-64 max-phone:w-full"
      aria-label="Filter links"
      placeholder="Code, campaign, path, title"
      maxLength={255}
      value={text}
      onChange={({ target }) => setText(target.value)}
    />
  );
}

function NoLinks({ isNarrowed }: { isNarrowed: boolean }) {
  const { appId } = route.useParams();
  const mayEdit = useMay('editor');
  if (isNarrowed)
    return (
      <Empty title="No links fit">
        <Link to="/$appId/links" params={{ appId }} className="btn">
          Show all links
        </Link>
      </Empty>
    );
  return (
    <Empty title="No links yet">
      <p className="text-ink-2">
        A link leads each phone to its store, and tells the app which screen it was about.
        {mayEdit ? ' Write that screen’s path above.' : ' An editor of this app can make one.'}
      </p>
    </Empty>
  );
}

function LinkTable({ links }: { links: readonly AppLink[] }) {
  return (
    <table className="table">
      <thead>
        <tr>
          <th scope="col">Link</th>
          <th scope="col">Campaign</th>
          <th scope="col">Opens</th>
          <th scope="col" className="num">
            Clicks
          </th>
          <th scope="col" className="num">
            Installs
          </th>
          <th scope="col" className="num">
            Made
          </th>
        </tr>
      </thead>
      <tbody>
        {links.map((link) => (
          <Row key={link.id} link={link} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ link }: { link: AppLink }) {
  const { appId } = route.useParams();
  const search = route.useSearch();
  const ofLink = { shortCode: link.shortCode, ...(link.sandbox && { sandbox: 'true' }) };
  const hasEnded = link.expiresAt !== null && Date.parse(link.expiresAt) <= Date.now();
  return (
    <tr>
      <td>
        <span className="flex min-w-0 flex-wrap items-center gap-x-2">
          <Link
            to="/$appId/links/$shortCode"
            params={{ appId, shortCode: link.shortCode }}
            className="font-semibold hover:text-accent hover:underline"
          >
            /{link.shortCode}
          </Link>
          {link.ogTitle !== null && <span className="text-ink-2">{link.ogTitle}</span>}
          {link.sandbox && <span className="tag">sandbox</span>}
          {hasEnded && <span className="tag">ended</span>}
        </span>
      </td>
      <td data-name="Campaign">
        {link.campaignId !== null && (
          <Link
            to="/$appId/links"
            params={{ appId }}
            search={{ ...search, page: undefined, campaignId: link.campaignId }}
            className="hover:text-accent hover:underline"
          >
            {link.campaignId}
          </Link>
        )}
      </td>
      <td data-name="Opens" className="mono text-ink-2">
        {link.deepLinkPath}
      </td>
      <td className="num" data-name="Clicks">
        <Link to="/$appId/clicks" params={{ appId }} search={ofLink} className="hover:underline">
          {formatCount(link.clicksTotal ?? 0)}
        </Link>
      </td>
      <td className="num text-ink-2" data-name="Installs">
        <Link
          to="/$appId/installs"
          params={{ appId }}
          search={{ ...ofLink, existingUser: 'false' }}
          className="hover:underline"
        >
          {formatCount(link.installsTotal ?? 0)}
        </Link>
      </td>
      <td className="num text-ink-2" data-name="Made">
        <Time at={link.createdAt} seconds={false} />
      </td>
    </tr>
  );
}
