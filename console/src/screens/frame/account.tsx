import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { SERVICE_URL } from '../../api/client.ts';
import type { Session } from '../../api/session.ts';
import { useSignOut } from '../../api/use-sign-out.ts';
import { Menu, MenuItem } from '../../components/menu.tsx';

/** Served by the service itself, so they fit its version and need no other host. */
const DOCUMENTS = `${SERVICE_URL}docs/`;
const route = getRouteApi('/$appId');

export function Account({ session: { user } }: { session: Session }) {
  const { appId } = route.useParams();
  const navigate = useNavigate();
  const signOut = useSignOut();
  return (
    <Menu
      label={`Account: ${user.name}`}
      className="h-7 min-w-0 truncate rounded-m px-2 text-left hover:bg-hover"
      trigger={user.name}
    >
      <p className="meta px-2 pb-1">{user.email}</p>
      <MenuItem onSelect={() => void navigate({ to: '/$appId/account', params: { appId } })}>
        Account
      </MenuItem>
      <MenuItem onSelect={() => window.open(DOCUMENTS, '_blank', 'noreferrer')}>Help</MenuItem>
      <MenuItem onSelect={() => void signOut()}>Sign out</MenuItem>
    </Menu>
  );
}
