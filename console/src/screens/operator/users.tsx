import { createPasswordResetAddress, listAllUsers, updateOperator } from '@generated/sdk.gen.ts';
import type { User } from '@generated/types.gen.ts';
import { use, useState } from 'react';
import { AppContext } from '../../api/app-context.ts';
import { useChange } from '../../api/use-change.ts';
import { useRead, useRefresh } from '../../api/use-read.ts';
import { Confirm } from '../../components/confirm.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Pane, Refusal } from '../../components/pane.tsx';
import { Time } from '../../components/time.tsx';

/** The users of all apps. */
export function Users() {
  const read = useRead(['all-users'], (client, signal) =>
    listAllUsers({ client, signal, throwOnError: true }),
  );
  return (
    <div className="mt-2 border-t border-line">
      <Pane read={read} rows={5}>
        {(users) => (
          <table className="table">
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Email</th>
                <th scope="col">Operator</th>
                <th scope="col">Last here</th>
                <th scope="col" className="num">
                  <span className="sr-only">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {users.map((user) => (
                <UserRow key={user.id} user={user} />
              ))}
            </tbody>
          </table>
        )}
      </Pane>
      <p className="meta max-w-[92ch] pt-3">
        An operator sees every app, as an owner, and this page; only a user whose email is proven becomes one.
        Members of an app are invited in its Team.
      </p>
    </div>
  );
}

function UserRow({ user }: { user: User }) {
  const { user: self } = use(AppContext);
  const refresh = useRefresh();
  const [isAsking, setAsking] = useState(false);
  const { id, name, email, isOperator, isEmailProven, lastUsedAt } = user;
  const change = useChange<void, unknown>(
    (client) =>
      updateOperator({
        client,
        path: { userId: id },
        body: { isOperator: !isOperator },
        throwOnError: true,
      }),
    async () => {
      setAsking(false);
      await refresh('all-users');
    },
  );
  return (
    <tr>
      <td>
        {name}
        {id === self.id && <span className="text-ink-3"> (you)</span>}
      </td>
      <td data-name="Email" className="text-ink-2">
        {email}
        {!isEmailProven && <span className="meta block">not proven</span>}
      </td>
      <td data-name="Operator">{isOperator ? 'yes' : ''}</td>
      <td data-name="Last here" className="text-ink-2">
        {lastUsedAt === null ? 'never' : <Time at={lastUsedAt} seconds={false} />}
      </td>
      <td className="num">
        <button type="button" className="link" onClick={() => setAsking(true)}>
          {isOperator ? 'Remove as operator' : 'Make operator'}
          <span className="sr-only">: {name}</span>
        </button>
        <NewPassword user={user} />
        <Confirm
          title={isOperator ? `Remove ${name} as operator?` : `Make ${name} an operator?`}
          action={isOperator ? 'Remove as operator' : 'Make operator'}
          keep="Leave it"
          isOpen={isAsking}
          onClose={() => {
            change.reset();
            setAsking(false);
          }}
          change={change}
        >
          {isOperator
            ? `${email} then sees only the apps that they are a member of.`
            : `${email} then sees and changes every app, and says who else is an operator.`}
        </Confirm>
      </td>
    </tr>
  );
}

/** For a user whom no mail reaches. */
function NewPassword({ user: { id, name } }: { user: User }) {
  const [url, setUrl] = useState<string | null>(null);
  const change = useChange<void, string>(
    async (client) =>
      (await createPasswordResetAddress({ client, path: { userId: id }, throwOnError: true })).data.url,
    setUrl,
  );
  return (
    <>
      {' '}
      <button type="button" className="link" onClick={() => change.run()}>
        New password
        <span className="sr-only">: {name}</span>
      </button>
      <Refusal error={change.error} />
      {url !== null && (
        <p className="note mt-2 text-left" role="status">
          <span className="min-w-0">
            Shown this once, and works for an hour: <code className="break-all">{url}</code>{' '}
            <CopyButton text={url} />
          </span>
        </p>
      )}
    </>
  );
}
