import type { CallOptions } from './methods.ts';

const LONGEST_PAGE = 100;

/** Methods of records that come in pages, newest first unless the query says otherwise. */
export interface Pages<Query, Item> {
  /** One page. @throws ThroughlineError */
  list(query?: Query, options?: CallOptions): Promise<Item[]>;
  /**
   * The records of all pages, which are requested as the loop reaches them; `limit` is the length of a page.
   * @throws ThroughlineError
   */
  iterate(query?: Query, options?: CallOptions): AsyncGenerator<Item, void, undefined>;
}

type List<Query, Item> = (query?: Query, options?: CallOptions) => Promise<Item[]>;

/** Of a list whose next page begins behind the last record of this one. */
export function pagesByRecord<
  Query extends { before?: string; order?: 'asc' | 'desc'; limit?: number },
  Item extends { id: string },
>(list: List<Query, Item>): Pages<Query, Item> {
  return pages(list, (query, page) => ({
    ...query,
    [query.order === 'asc' ? 'after' : 'before']: page.at(-1)?.id,
  }));
}

/** Of a list whose next page skips the records of this one and earlier ones. New ones move others to the next page. */
export function pagesByOffset<Query extends { offset?: number; limit?: number }, Item extends { id: string }>(
  list: List<Query, Item>,
): Pages<Query, Item> {
  const all = pages(list, (query, page) => ({ ...query, offset: (query.offset ?? 0) + page.length }));
  return {
    list,
    async *iterate(query, options) {
      const seen = new Set<string>();
      for await (const item of all.iterate(query, options)) {
        if (seen.has(item.id)) continue;
        seen.add(item.id);
        yield item;
      }
    },
  };
}

function pages<Query extends { limit?: number }, Item>(
  list: List<Query, Item>,
  next: (query: Query, page: readonly Item[]) => Query,
): Pages<Query, Item> {
  return {
    list,
    async *iterate(query, options) {
      const limit = query?.limit ?? LONGEST_PAGE;
      // No field of a query is required.
      let current = { ...query, limit } as Query;
      for (;;) {
        const page = await list(current, options);
        yield* page;
        if (page.length < limit) return;
        current = next(current, page);
      }
    },
  };
}
