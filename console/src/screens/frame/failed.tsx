import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { toApiError } from '../../api/error.ts';
import type { Session } from '../../api/session.ts';
import { Empty } from '../../components/page.tsx';
import { Failure } from '../../components/pane.tsx';

/** A page whose address or code fails. */
export function Failed({ error, reset }: ErrorComponentProps) {
  return (
    <div className="mx-auto max-w-[640px] p-(--gutter)">
      <Failure error={toApiError(error)} retry={reset} />
    </div>
  );
}

export function NotFound() {
  return (
    <Empty title="No page has this address">
      <Link to="/" className="link">
        Go to the overview
      </Link>
    </Empty>
  );
}

export function UnknownApp({ session }: { session: Session }) {
  return (
    <main className="mx-auto max-w-[640px] p-(--gutter)">
      <Empty title="You are not a member of this app">
        <p className="text-ink-2">Ask one of its owners for an invitation, or choose another app.</p>
        <ul className="grid gap-1">
          {session.apps.map(({ id, name }) => (
            <li key={id}>
              <Link to="/$appId" params={{ appId: id }} className="link">
                {name}
              </Link>
            </li>
          ))}
        </ul>
      </Empty>
    </main>
  );
}
