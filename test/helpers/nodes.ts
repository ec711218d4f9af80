import { after, before } from 'node:test';
import { useWorld, World } from './world.ts';

/** Two nodes on one PostgreSQL, for the tests of the surrounding `describe`. */
export function useTwoNodes(): { readonly first: World; readonly second: World } {
  let second: World | undefined;
  // Before the first node removes the database.
  after(() => second?.remove());
  const first = useWorld('postgres');
  before(async () => {
    second = new World('postgres', { DATABASE_URL: first.place.databaseUrl ?? '' });
    await second.open();
  });
  return {
    first,
    get second() {
      if (second === undefined) throw new Error('the second node is not open');
      return second;
    },
  };
}
