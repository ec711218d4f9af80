import { useSignOut } from '../../api/use-sign-out.ts';
import { Door } from './door.tsx';

/** For users whose memberships all ended. */
export function NoApp() {
  const signOut = useSignOut();
  return (
    <Door title="No app yet">
      <p>You are a member of no app. Ask one of its owners for an invitation.</p>
      <button type="button" className="btn justify-self-start" onClick={() => void signOut()}>
        Sign out
      </button>
    </Door>
  );
}
