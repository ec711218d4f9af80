import { useNavigate } from '@tanstack/react-router';
import type { AppOfUser, Session } from '../../api/session.ts';
import { Logo } from '../../components/mark.tsx';
import { Caret, Menu, MenuItem } from '../../components/menu.tsx';

export function AppSwitcher({
  session,
  app,
  isWide = false,
}: {
  session: Session;
  app: AppOfUser;
  isWide?: boolean;
}) {
  const navigate = useNavigate();
  return (
    <Menu
      label={`App: ${app.name}`}
      className={
        isWide
          ? 'flex h-9 w-full items-center gap-2 rounded-m px-2 text-left hover:bg-hover'
          : 'btn btn-quiet h-9 min-w-0 overflow-hidden'
      }
      trigger={
        <>
          {isWide && <Logo />}
          <b className="min-w-0 flex-1 truncate">{app.name}</b>
          <Caret />
        </>
      }
    >
      {session.apps.map((each) => (
        <MenuItem key={each.id} onSelect={() => void navigate({ to: '/$appId', params: { appId: each.id } })}>
          <span className="min-w-0 truncate">{each.name}</span>
          <span className="meta">{each.id === app.id ? '✓' : each.role}</span>
        </MenuItem>
      ))}
    </Menu>
  );
}
