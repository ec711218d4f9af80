/** The links of an app: search, state, order, and a new one in one field. */
import { listLinks } from '@generated/sdk.gen.ts';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useMay } from '../../api/app-context.ts';
import { useRead } from '../../api/use-read.ts';
import { Picker } from '../../components/menu.tsx';
import { Empty, Head } from '../../components/page.tsx';
import { Pager } from '../../components/pager.tsx';
import { Pane } from '../../components/pane.tsx';
import { useShortcuts } from '../../components/shortcuts.ts';
import { Tag } from '../../components/tag.tsx';
import { BatchBar } from './batch-bar.tsx';
import { LinkTable } from './link-table.tsx';
import { QuickLink } from './quick-link.tsx';
import { sortingOf } from './sorting.ts';
import { TagPicker } from './tag-picker.tsx';
import { useSelection } from './use-selection.ts';

const route = getRouteApi('/$appId/links');
const PAGE = 50;

const STATES = [
  ['all', 'All'],
  ['active', 'Active'],
  ['expired', 'Ended'],
] as const;

export function Links() {
  const { appId } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/$appId/links' });
  const page = Number(search.page ?? 1);
  const state = (['active', 'expired'] as const).find((name) => name === search.state);
  const filter = {
    ...(search.q !== undefined && { q: search.q }),
    ...(search.campaignId !== undefined && { campaignId: search.campaignId }),
    ...(search.tag !== undefined && { tag: search.tag }),
    ...(state !== undefined && { state }),
  };
  const query = {
    include: 'totals' as const,
    ...sortingOf(search),
    limit: PAGE,
    offset: (page - 1) * PAGE,
    ...filter,
    // Those of the app's users are many; their whole short URLs find them.
    ...(search.q === undefined && { madeBy: 'team' as const }),
  };
  const mayEdit = useMay('editor');
  const selection = useSelection();
  const read = useRead(['links', query], (client, signal) =>
    listLinks({ client, query, signal, throwOnError: true }),
  );
  const isNarrowed = Object.keys(filter).length > 0;
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
        {search.tag === undefined && <TagPicker onPick={(tag) => set({ tag })} />}
        {search.campaignId !== undefined && (
          <Tag text={`Campaign: ${search.campaignId}`} onRemove={() => set({ campaignId: undefined })} />
        )}
        {search.tag !== undefined && (
          <Tag text={`Tag: ${search.tag}`} onRemove={() => set({ tag: undefined })} />
        )}
        <Link to="/$appId/links/import" params={{ appId }} className="btn ml-auto">
          {mayEdit ? 'Import' : 'Imports'}
        </Link>
      </Head>
      <div className="pt-4">
        <QuickLink />
        <Pane read={read} rows={10}>
          {(links) =>
            links.length === 0 && page === 1 ? (
              <NoLinks isNarrowed={isNarrowed} />
            ) : (
              <>
                {mayEdit && (
                  <BatchBar
                    key={JSON.stringify(filter)}
                    selection={selection}
                    query={filter}
                    hasMore={page > 1 || links.length === PAGE}
                  />
                )}
                <LinkTable links={links} selection={mayEdit ? selection : null} />
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
      placeholder="Code, path, title, campaign, URL"
      maxLength={2048}
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
        {mayEdit
          ? ' Write that screen’s path above, paste a web address, or import the links of another service.'
          : ' An editor of this app can make one.'}
      </p>
    </Empty>
  );
}
