/** The order of the list of links, as its address says it. */

const SORTS = ['clicks', 'installs', 'createdAt'] as const;
export type Sort = (typeof SORTS)[number];
type Order = 'asc' | 'desc';

interface Sorting {
  readonly sort: Sort;
  readonly order: Order;
}

export function sortingOf({ sort, order }: { sort?: string; order?: string }): Sorting {
  return {
    sort: SORTS.find((each) => each === sort) ?? 'createdAt',
    order: order === 'asc' ? 'asc' : 'desc',
  };
}

/** What a press on the head of a column asks for: the most or the newest first, then the other way. */
export function nextSorting(now: Sorting, sort: Sort) {
  const isTurned = now.sort === sort && now.order === 'desc';
  return {
    sort: sort === 'createdAt' ? undefined : sort,
    order: isTurned ? ('asc' as const) : undefined,
  };
}
