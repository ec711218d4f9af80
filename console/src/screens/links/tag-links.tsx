import { getRouteApi, Link } from '@tanstack/react-router';
import type { Search } from '../../search.ts';

const route = getRouteApi('/$appId');

/** Tags that narrow the list of links down. */
export function TagLinks({
  tags,
  search,
}: {
  tags: readonly string[];
  search: Search<'q' | 'state' | 'campaignId' | 'page' | 'sort' | 'order'>;
}) {
  const { appId } = route.useParams();
  return tags.map((tag) => (
    <Link
      key={tag}
      to="/$appId/links"
      params={{ appId }}
      search={{ ...search, tag }}
      aria-label={`Only links with the tag ${tag}`}
      className="tag max-w-full hover:bg-hover"
    >
      <bdi className="min-w-0 wrap-anywhere">{tag}</bdi>
    </Link>
  ));
}
