import { createOwnKey, listOwnKeys, revokeOwnKey } from '@generated/sdk.gen.ts';
import type { CreateKey, Key, NewKey } from '@generated/types.gen.ts';
import { useState } from 'react';
import { useMay } from '../../api/app-context.ts';
import { useChange } from '../../api/use-change.ts';
import { useRead, useRefresh } from '../../api/use-read.ts';
import { Confirm } from '../../components/confirm.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Menu, MenuItem } from '../../components/menu.tsx';
import { Empty, Head } from '../../components/page.tsx';
import { NoPermission, Pane, Refusal } from '../../components/pane.tsx';
import { Time } from '../../components/time.tsx';

type Kind = CreateKey['kind'];
const KINDS: readonly (readonly [Kind, string, string])[] = [
  ['live', 'Secret, live', 'For your servers. Reads and changes everything.'],
  ['test', 'Secret, test', 'For your servers. Sandbox records only.'],
  ['live_publishable', 'Publishable, live', 'For the app in the stores. Reports, reads nothing.'],
  ['test_publishable', 'Publishable, test', 'For debug builds of the app.'],
];

export function Keys() {
  const isOwner = useMay('owner');
  return (
    <>
      <Head title="Keys">{isOwner && <NewKeyMenu />}</Head>
      {isOwner ? <KeyList /> : <NoPermission text="Its owners see keys." />}
    </>
  );
}

function NewKeyMenu() {
  const refresh = useRefresh();
  const [made, setMade] = useState<NewKey | null>(null);
  const change = useChange(
    async (client, kind: Kind) => (await createOwnKey({ client, body: { kind }, throwOnError: true })).data,
    async (key) => {
      setMade(key);
      await refresh('keys');
    },
  );
  return (
    <>
      <div className="ml-auto">
        <Menu trigger="New key" align="end">
          {KINDS.map(([kind, name, help]) => (
            <MenuItem key={kind} onSelect={() => change.run(kind)}>
              <span>
                {name}
                <span className="meta block">{help}</span>
              </span>
            </MenuItem>
          ))}
        </Menu>
      </div>
      <div className="w-full empty:hidden">
        <Refusal error={change.error} />
        {made !== null && (
          <div className="note mt-2" role="status">
            <b>Copy it now</b>
            <div className="min-w-0">
              <p>The key is shown this once.</p>
              <p className="flex flex-wrap items-center gap-2 pt-1">
                <code className="break-all">{made.key}</code> <CopyButton text={made.key} />
                <button type="button" className="btn btn-quiet" onClick={() => setMade(null)}>
                  Done
                </button>
              </p>
            </div>
          </div>
        )}
      </div>
    </>
  );
}

function KeyList() {
  const read = useRead(['keys'], (client, signal) => listOwnKeys({ client, signal, throwOnError: true }));
  return (
    <div className="mt-2 border-t border-line">
      <Pane read={read} rows={4}>
        {(keys) =>
          keys.length === 0 ? (
            <Empty title="No keys yet">
              <p className="text-ink-2">The app needs a publishable key, your servers a secret one.</p>
            </Empty>
          ) : (
            <table className="table">
              <thead>
                <tr>
                  <th scope="col">Kind</th>
                  <th scope="col">Key</th>
                  <th scope="col">Made</th>
                  <th scope="col">Last used</th>
                  <th scope="col" className="num">
                    <span className="sr-only">Actions</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {keys.map((key) => (
                  <KeyRow key={key.id} record={key} />
                ))}
              </tbody>
            </table>
          )
        }
      </Pane>
    </div>
  );
}

function KeyRow({ record }: { record: Key }) {
  const { id, kind, hint, createdAt, lastUsedAt, revokedAt } = record;
  const [isRevoking, setRevoking] = useState(false);
  const refresh = useRefresh();
  const change = useChange<void, unknown>(
    (client) => revokeOwnKey({ client, path: { keyId: id }, throwOnError: true }),
    async () => {
      await refresh('keys');
      setRevoking(false);
    },
  );
  const name = KINDS.find(([each]) => each === kind)?.[1];
  return (
    <tr className={revokedAt === null ? '' : 'text-ink-3'}>
      <td>{name}</td>
      <td data-name="Key" className="mono">
        {hint}
      </td>
      <td data-name="Made">
        <Time at={createdAt} seconds={false} />
      </td>
      <td data-name="Last used">
        {lastUsedAt === null ? 'never' : <Time at={lastUsedAt} seconds={false} />}
      </td>
      <td className="num">
        {revokedAt === null ? (
          <button type="button" className="link" onClick={() => setRevoking(true)}>
            Revoke
          </button>
        ) : (
          <>
            revoked <Time at={revokedAt} seconds={false} />
          </>
        )}
        <Confirm
          title={`Revoke ${hint}?`}
          action="Revoke key"
          isOpen={isRevoking}
          onClose={() => setRevoking(false)}
          change={change}
        >
          Whatever uses this key is refused within seconds. It cannot be brought back.
        </Confirm>
      </td>
    </tr>
  );
}
