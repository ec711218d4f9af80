import { useNavigate } from '@tanstack/react-router';

/** Ends the session and forgets what it has read. */
export function useSignOut(): () => Promise<void> {
  const navigate = useNavigate();
  return async () => await navigate({ to: '/sign-out', state: { isAsked: true }, replace: true });
}
