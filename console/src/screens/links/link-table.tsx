import type { Link as AppLink } from '@generated/types.gen.ts';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useMay } from '../../api/app-context.ts';
import { Picker } from '../../components/menu.tsx';
import { Time } from '../../components/time.tsx';
import { formatCount } from '../../formats.ts';
import { linkAddress, linkName } from './link-name.ts';
import { nextSorting, type Sort, sortingOf } from './sorting.ts';
import { TagLinks } from './tag-links.tsx';
import type { Selection } from './use-selection.ts';

const route = getRouteApi('/$appId/links');

/** @param selection null where links cannot be changed. */
export function LinkTable({ links, selection }: { links: readonly AppLink[]; selection: Selection | null }) {
  const { appId } = route.useParams();
  const mayEdit = useMay('editor');
  return (
    <>
      <p className="meta flex flex-wrap gap-x-1.5 pt-4">
        <span>Clicks and installs are those of all days.</span>
        <Link to="/$appId/lists/$list" params={{ appId, list: 'links' }} className="link">
          Links by their clicks in a period
        </Link>
      </p>
      <Sorter />
      {selection !== null && (
        <div className="flex items-center gap-2 pt-3 phone:hidden">
          <SelectPage id={PHONE_ID} links={links} selection={selection} />
          <label htmlFor={PHONE_ID}>All on this page</label>
        </div>
      )}
      <table className="table">
        <thead>
          <tr>
            {selection !== null && (
              <th scope="col" className="w-6">
                <SelectPage links={links} selection={selection} />
              </th>
            )}
            <th scope="col">Link</th>
            <th scope="col">Campaign</th>
            <th scope="col">Path in the app</th>
            {HEADS.map(([sort, name]) => (
              <SortHead key={sort} sort={sort} name={name} />
            ))}
            {mayEdit && (
              <th scope="col">
                <span className="sr-only">Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {links.map((link) => (
            <Row key={link.id} link={link} mayEdit={mayEdit} selection={selection} />
          ))}
        </tbody>
      </table>
    </>
  );
}

const PHONE_ID = 'select-page';

function SelectPage({
  links,
  selection,
  id,
}: {
  links: readonly AppLink[];
  selection: Selection;
  id?: string;
}) {
  const selected = links.filter(({ shortCode }) => selection.links.has(shortCode)).length;
  return (
    <input
      type="checkbox"
      id={id}
      className="check block"
      aria-label={id === undefined ? 'Select all on this page' : undefined}
      ref={(box) => {
        if (box !== null) box.indeterminate = selected > 0 && selected < links.length;
      }}
      checked={selected > 0 && selected === links.length}
      onChange={({ target }) => selection.toggle(links, target.checked)}
    />
  );
}

const HEADS: readonly (readonly [Sort, string])[] = [
  ['clicks', 'Clicks'],
  ['installs', 'Installs'],
  ['createdAt', 'Made'],
];

function SortHead({ sort, name }: { sort: Sort; name: string }) {
  const { appId } = route.useParams();
  const search = route.useSearch();
  const now = sortingOf(search);
  const isChosen = now.sort === sort;
  const isUp = now.order === 'asc';
  return (
    <th scope="col" className="num" aria-sort={isChosen ? (isUp ? 'ascending' : 'descending') : undefined}>
      <Link
        to="/$appId/links"
        params={{ appId }}
        search={{ ...search, page: undefined, ...nextSorting(now, sort) }}
        replace
        resetScroll={false}
        activeOptions={{ exact: true, includeSearch: true }}
        className={`hover:text-ink ${isChosen ? `sorted text-ink ${isUp ? 'sorted-up' : ''}` : ''}`}
      >
        {name}
        {!isChosen && <span className="sr-only">, sort</span>}
      </Link>
    </th>
  );
}

const ORDERS = [
  ['createdAt desc', 'Newest first'],
  ['createdAt asc', 'Oldest first'],
  ['clicks desc', 'Most clicks first'],
  ['clicks asc', 'Fewest clicks first'],
  ['installs desc', 'Most installs first'],
  ['installs asc', 'Fewest installs first'],
] as const;

/** On narrow screens, where the table has no heads. */
function Sorter() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/$appId/links' });
  const { sort, order } = sortingOf(search);
  const chosen = ORDERS.find(([each]) => each === `${sort} ${order}`)?.[0] ?? ORDERS[0][0];
  return (
    <div className="pt-2 phone:hidden">
      <Picker
        label="Order"
        value={chosen}
        options={ORDERS}
        onPick={(picked) => {
          const [by, direction] = picked.split(' ');
          void navigate({ search: { ...search, page: undefined, sort: by, order: direction } });
        }}
      />
    </div>
  );
}

function Row({ link, mayEdit, selection }: { link: AppLink; mayEdit: boolean; selection: Selection | null }) {
  const { appId } = route.useParams();
  const search = route.useSearch();
  const ofLink = { shortCode: link.shortCode, ...(link.sandbox && { sandbox: 'true' }) };
  const hasEnded = link.expiresAt !== null && Date.parse(link.expiresAt) <= Date.now();
  return (
    <tr className={selection?.links.has(link.shortCode) === true ? 'row-selected' : ''}>
      {selection !== null && (
        <td className="row-check">
          <input
            type="checkbox"
            className="check mt-0.5 block"
            aria-label={`Select ${linkAddress(link)}`}
            checked={selection.links.has(link.shortCode)}
            onChange={({ target }) => selection.toggle([link], target.checked)}
          />
        </td>
      )}
      <td>
        <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
          <Link
            to="/$appId/links/$shortCode"
            params={{ appId, shortCode: link.shortCode }}
            className="font-semibold hover:text-accent hover:underline"
          >
            <bdi className="wrap-anywhere">{linkName(link)}</bdi>
          </Link>
          {link.title !== null && <span className="wrap-anywhere text-ink-2">{linkAddress(link)}</span>}
          {link.title === null && link.ogTitle !== null && <bdi className="text-ink-2">{link.ogTitle}</bdi>}
          {link.sandbox && <span className="tag">sandbox</span>}
          {hasEnded && <span className="tag">ended</span>}
          <TagLinks tags={link.tags} search={{ ...search, page: undefined }} />
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
      <td data-name="Path in the app" className="mono text-ink-2">
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
      {mayEdit && (
        <td className="num">
          <Link
            to="/$appId/links/new"
            params={{ appId }}
            search={{ from: link.shortCode }}
            aria-label={`Duplicate ${linkAddress(link)}`}
            className="link text-meta"
          >
            Duplicate
          </Link>
        </td>
      )}
    </tr>
  );
}
