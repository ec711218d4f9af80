import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { sessionQuery } from './session.ts';

/** Reads the session again, after a change of what its user may or of an app’s name. Without one the sign-in follows. */
export function useRenewSession(): () => Promise<void> {
  const queries = useQueryClient();
  const router = useRouter();
  return async () => {
    await queries.fetchQuery({ ...sessionQuery, staleTime: 0 });
    await router.invalidate();
  };
}
