import { listSessions, revokeOtherSessions, revokeSession } from '@generated/sdk.gen.ts';
import type { SessionRecord } from '@generated/types.gen.ts';
import { useState } from 'react';
import { useRenewSession } from '../../api/renew-session.ts';
import { useChange } from '../../api/use-change.ts';
import { useRead, useRefresh } from '../../api/use-read.ts';
import { Confirm } from '../../components/confirm.tsx';
import { Section } from '../../components/page.tsx';
import { Pane, Refusal } from '../../components/pane.tsx';
import { Time } from '../../components/time.tsx';
import { plural } from '../../formats.ts';

export function Sessions() {
  const read = useRead(['sessions'], (client, signal) =>
    listSessions({ client, signal, throwOnError: true }),
  );
  const others = read.data?.filter(({ isCurrent }) => !isCurrent).length ?? 0;
  return (
    <Section title="Sessions" aside={others > 0 && <EndOthers others={others} />}>
      <Pane read={read} rows={2}>
        {(sessions) => (
          <table className="table">
            <thead>
              <tr>
                <th scope="col">Browser</th>
                <th scope="col">Signed in</th>
                <th scope="col">Last used</th>
                <th scope="col" className="num">
                  <span className="sr-only">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {sessions.map((session) => (
                <SessionRow key={session.id} session={session} />
              ))}
            </tbody>
          </table>
        )}
      </Pane>
      <p className="meta pt-2">
        A session ends after 7 days without use. End one that you do not know, and choose a new password.
      </p>
    </Section>
  );
}

function SessionRow({ session }: { session: SessionRecord }) {
  const { id, userAgent, isCurrent, createdAt, lastUsedAt } = session;
  const refresh = useRefresh();
  const renew = useRenewSession();
  const name = nameOf(session);
  const end = useChange<void, unknown>(
    (client) => revokeSession({ client, path: { sessionId: id }, throwOnError: true }),
    () => (isCurrent ? renew() : refresh('sessions')),
  );
  return (
    <tr>
      <td title={userAgent ?? undefined}>
        {name}
        {isCurrent && <b className="pl-2">this one</b>}
      </td>
      <td data-name="Signed in">
        <Time at={createdAt} seconds={false} />
      </td>
      <td data-name="Last used">
        <Time at={lastUsedAt} seconds={false} />
      </td>
      <td className="num">
        <button type="button" className="link" aria-disabled={end.isRunning} onClick={() => end.run()}>
          {isCurrent ? 'Sign out' : 'End'}
          <span className="sr-only">: {name}</span>
        </button>
        <Refusal error={end.error} />
      </td>
    </tr>
  );
}

function nameOf({ browser, system }: SessionRecord): string {
  if (browser === null && system === null) return 'An unknown browser';
  return [browser ?? 'A browser', system].filter((part) => part !== null).join(' on ');
}

function EndOthers({ others }: { others: number }) {
  const [isOpen, setOpen] = useState(false);
  const refresh = useRefresh();
  const end = useChange<void, unknown>(
    (client) => revokeOtherSessions({ client, throwOnError: true }),
    async () => {
      setOpen(false);
      await refresh('sessions');
    },
  );
  return (
    <>
      <button type="button" className="btn" onClick={() => setOpen(true)}>
        End all others
      </button>
      <Confirm
        title={`End ${plural(others, 'other session')}?`}
        action="End all others"
        keep="Leave them"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        change={end}
      >
        Whoever uses them has to sign in again. This session stays.
      </Confirm>
    </>
  );
}
