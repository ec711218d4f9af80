/** What stays around every screen of an app: menu, app switcher, account, and the end of the session. */
import { getRouteApi, Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { AppContext } from '../../api/app-context.ts';
import { clientOf } from '../../api/client.ts';
import type { AppOfUser, Session, User } from '../../api/session.ts';
import { rememberApp } from '../../components/last-app.ts';
import { lateDialog } from '../../components/late-dialog.tsx';
import { Logo } from '../../components/mark.tsx';
import { useShortcuts } from '../../components/shortcuts.ts';
import { Search, SearchButton } from '../search/search.tsx';
import { Account } from './account.tsx';
import { AppSwitcher } from './app-switcher.tsx';
import { ExpiredSession } from './expired-session.tsx';
import { ExportProgress } from './export-progress.tsx';
import { groupsOf } from './nav.ts';
import { NavList } from './nav-list.tsx';

const route = getRouteApi('/$appId');
const UnknownApp = lazy(async () => ({ default: (await import('./no-page.tsx')).UnknownApp }));
const KeyHelp = lateDialog(async () => (await import('./key-help.tsx')).KeyHelp);

export function Frame() {
  const { session, app } = route.useRouteContext();
  if (app === undefined)
    return (
      <Suspense>
        <UnknownApp session={session} />
      </Suspense>
    );
  return (
    <AppContext value={{ app, user: session.user, client: clientOf(app.id) }}>
      <Framed session={session} app={app} />
      <ExpiredSession email={session.user.email} />
    </AppContext>
  );
}

function Framed({ session, app }: { session: Session; app: AppOfUser }) {
  const [isMenuOpen, setMenuOpen] = useState(false);
  const [isHelpOpen, setHelpOpen] = useState(false);
  const [isSearching, setSearching] = useState(false);
  const search = () => setSearching(true);
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  useEffect(() => rememberApp(app.id), [app.id]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page closes the menu
  useEffect(() => setMenuOpen(false), [pathname]);
  useGoing(app.id, session.user, () => setHelpOpen(true));
  useShortcuts({ '/': search });
  return (
    <div className="min-h-screen phone:grid phone:grid-cols-[200px_minmax(0,1fr)]">
      <button
        type="button"
        className="fixed top-2 -left-[999px] z-50 bg-raised px-3 py-2 focus:left-2"
        onClick={() => document.getElementById('main')?.focus()}
      >
        Skip to content
      </button>
      <nav
        aria-label="Console"
        className="sticky top-0 hidden h-screen flex-col gap-4 overflow-y-auto border-r border-line bg-sunken px-2 py-3 phone:flex"
      >
        <AppSwitcher session={session} app={app} isWide />
        <SearchButton
          onOpen={search}
          className="flex h-(--control) flex-none items-center justify-between rounded-m border border-line-strong bg-surface px-2.5 text-ink-3 hover:bg-hover"
        />
        <NavList />
        <footer className="meta mt-auto flex items-center justify-between gap-2">
          <Account session={session} />
          <button type="button" className="pr-2" onClick={() => setHelpOpen(true)}>
            <kbd>?</kbd> shortcuts
          </button>
        </footer>
      </nav>
      <header className="sticky top-0 z-10 flex h-[52px] items-center gap-2 border-b border-line bg-sunken px-4 phone:hidden">
        <Logo />
        <AppSwitcher session={session} app={app} />
        <SearchButton onOpen={search} className="btn ml-auto h-9" />
        <button
          type="button"
          className="btn h-9"
          aria-expanded={isMenuOpen}
          onClick={() => setMenuOpen(!isMenuOpen)}
        >
          Menu
        </button>
      </header>
      {isMenuOpen && (
        <nav aria-label="Console" className="border-b border-line bg-sunken px-2 py-3 phone:hidden">
          <NavList />
          <div className="pt-3">
            <Account session={session} />
          </div>
        </nav>
      )}
      <main
        id="main"
        tabIndex={-1}
        className="mx-auto w-full max-w-[1240px] min-w-0 px-(--gutter) pt-3 pb-16 outline-none phone:pt-4"
      >
        <Outlet />
      </main>
      <ExportProgress />
      <Search isOpen={isSearching} onClose={() => setSearching(false)} />
      <KeyHelp isOpen={isHelpOpen} onClose={() => setHelpOpen(false)} />
    </div>
  );
}

function useGoing(appId: string, user: User, help: () => void): void {
  const navigate = useNavigate();
  const places = groupsOf(user).flatMap(({ places }) => places);
  useShortcuts({
    '?': help,
    ...Object.fromEntries(
      places.map(({ key, to }) => [`g ${key}`, () => void navigate({ to, params: { appId } })]),
    ),
  });
}
