/** The keys of the app: who made them, what uses them, and when they end. */
import { listOwnKeys } from '@generated/sdk.gen.ts';
import type { Key } from '@generated/types.gen.ts';
import { useNavigate } from '@tanstack/react-router';
import { use, useState } from 'react';
import { AppContext, useMay } from '../../api/app-context.ts';
import { useRead } from '../../api/use-read.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { Caret, Menu, MenuItem } from '../../components/menu.tsx';
import { Empty, Head } from '../../components/page.tsx';
import { NoPermission, Pane } from '../../components/pane.tsx';
import { Time } from '../../components/time.tsx';
import { formatMoment } from '../../formats.ts';
import { ChangeEnd, RenameKey, RevokeKey, RotateKey } from './key-dialogs.tsx';
import { endOf, isActive, isPublishable, makerOf, wordsOf } from './kinds.ts';
import { MakeKey } from './make-key.tsx';

export function Keys() {
  const isOwner = useMay('owner');
  return (
    <>
      <Head title="Keys">{isOwner && <MakeKey />}</Head>
      {isOwner ? <KeyList /> : <NoPermission text="Its owners see keys." />}
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
                  <th scope="col">Name</th>
                  <th scope="col">Key</th>
                  <th scope="col">Made</th>
                  <th scope="col">Last used</th>
                  <th scope="col">Ends</th>
                  <th scope="col" className="num">
                    <span className="sr-only">Actions</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {[...keys.filter(isActive), ...keys.filter((key) => !isActive(key))].map((key) => (
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
  const { name, kind, createdAt, lastUsedAt } = record;
  return (
    <tr className={isActive(record) ? '' : 'text-ink-3'}>
      <td className="[overflow-wrap:anywhere]">
        {name}
        <span className="meta block">{wordsOf(kind).name}</span>
      </td>
      <td data-name="Key">
        <KeyItself record={record} />
      </td>
      <td data-name="Made" className="[overflow-wrap:anywhere]">
        <Time at={createdAt} seconds={false} />
        <span className="meta block">by {makerOf(record)}</span>
      </td>
      <td data-name="Last used">
        {lastUsedAt === null ? (
          'never'
        ) : (
          <>
            <Time at={lastUsedAt} seconds={false} />
            <span className="meta block">or up to an hour later</span>
          </>
        )}
      </td>
      <td data-name="Ends">{endOf(record)}</td>
      <td className="num">{isActive(record) && <Actions record={record} />}</td>
    </tr>
  );
}

/** Secret keys are stored as a hash alone, as publishable ones once were. */
function KeyItself({ record: { kind, hint, key, createdAt } }: { record: Key }) {
  if (key !== null)
    return (
      <span className="flex min-w-0 flex-wrap items-center gap-2">
        <code className="mono min-w-0 break-all">{key}</code>
        <CopyButton text={key} />
      </span>
    );
  return (
    <>
      <span className="mono">{hint}</span>
      {isPublishable(kind) && (
        <span className="meta block">
          Made {formatMoment(createdAt, { seconds: false })}, when keys could not be shown again. It appears
          after its next use; or rotate it.
        </span>
      )}
    </>
  );
}

const DIALOGS = { rename: RenameKey, rotate: RotateKey, end: ChangeEnd, revoke: RevokeKey } as const;

function Actions({ record }: { record: Key }) {
  const [shown, setShown] = useState<keyof typeof DIALOGS | null>(null);
  const { app } = use(AppContext);
  const navigate = useNavigate();
  const showHistory = () =>
    void navigate({ to: '/$appId/audit-log', params: { appId: app.id }, search: { resource: record.id } });
  const Shown = shown === null ? null : DIALOGS[shown];
  return (
    <>
      <Menu
        label={`Change ${record.name}`}
        align="end"
        trigger={
          <>
            Change <Caret />
          </>
        }
      >
        <MenuItem onSelect={() => setShown('rename')}>Rename</MenuItem>
        {record.endsAt === null ? (
          <MenuItem onSelect={() => setShown('rotate')}>Rotate</MenuItem>
        ) : (
          <MenuItem onSelect={() => setShown('end')}>Change when it ends</MenuItem>
        )}
        <MenuItem onSelect={showHistory}>History</MenuItem>
        <MenuItem onSelect={() => setShown('revoke')}>Revoke</MenuItem>
      </Menu>
      {Shown !== null && <Shown record={record} onClose={() => setShown(null)} />}
    </>
  );
}
