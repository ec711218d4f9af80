import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { signOut } from './session.ts';

/** Ends the session and forgets what it has read. */
export function useSignOut(): () => Promise<void> {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return async () => {
    await signOut();
    queries.clear();
    await navigate({ to: '/sign-in', ignoreBlocker: true });
  };
}
