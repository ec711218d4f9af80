import { Door } from './door.tsx';

/** For users whose memberships all ended. */
export function NoApp() {
  return (
    <Door title="No app yet">
      <p>You are a member of no app. Ask one of its owners for an invitation.</p>
    </Door>
  );
}
