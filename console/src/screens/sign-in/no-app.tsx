import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { signOut } from '../../api/session.ts';
import { Door } from './door.tsx';

/** For users whose memberships all ended. */
export function NoApp() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const leave = async () => {
    await signOut();
    queries.clear();
    await navigate({ to: '/sign-in' });
  };
  return (
    <Door title="No app yet">
      <p>You are a member of no app. Ask one of its owners for an invitation.</p>
      <button type="button" className="btn justify-self-start" onClick={() => void leave()}>
        Sign out
      </button>
    </Door>
  );
}
