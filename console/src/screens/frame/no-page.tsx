/** Addresses that have no page; loaded with the first of them. */
import { Link } from '@tanstack/react-router';
import { use } from 'react';
import { AppContext } from '../../api/app-context.ts';
import type { Session } from '../../api/session.ts';
import { Head } from '../../components/page.tsx';
import { Door } from '../sign-in/door.tsx';

/** Of an address within an app. */
export function NotFound() {
  const { app } = use(AppContext);
  return (
    <>
      <Head title="No page has this address" />
      <div className="grid max-w-[64ch] justify-items-start gap-2 py-3">
        <p className="text-ink-2">
          It may be mistyped, or the page has moved. What you may see and change as{' '}
          {app.role === 'viewer' ? 'a viewer' : `an ${app.role}`} of {app.name} is in the menu. Its owners see
          keys and the team, and give other roles; the page Operator is for operators of the service.
        </p>
        <Link to="/$appId" params={{ appId: app.id }} className="btn">
          Go to the overview
        </Link>
      </div>
    </>
  );
}

/** Of an address outside of any app. */
export function Nowhere() {
  return (
    <Door title="No page has this address">
      <p className="text-ink-2">It may be mistyped, or the page has moved.</p>
      <Link to="/" className="btn justify-self-start">
        Go to the overview
      </Link>
    </Door>
  );
}

export function UnknownApp({ session }: { session: Session }) {
  return (
    <Door title="You are not a member of this app">
      <p className="text-ink-2">
        {session.user.email} is no member of the app in this address, or there is none. Its owners invite
        members.
      </p>
      {session.apps.length > 0 && (
        <ul className="grid gap-1">
          {session.apps.map(({ id, name }) => (
            <li key={id}>
              <Link to="/$appId" params={{ appId: id }} className="link">
                {name}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Door>
  );
}
