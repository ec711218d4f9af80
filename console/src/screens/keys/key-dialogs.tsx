import { revokeOwnKey, rotateOwnKey, updateOwnKey } from '@generated/sdk.gen.ts';
import type { Key, RotatedKey } from '@generated/types.gen.ts';
import { useState } from 'react';
import { useChange } from '../../api/use-change.ts';
import { useRefresh } from '../../api/use-read.ts';
import { Confirm } from '../../components/confirm.tsx';
import { Actions, Dialog } from '../../components/dialog.tsx';
import { Choice } from '../../components/field.tsx';
import { Refusal } from '../../components/pane.tsx';
import { formatMoment } from '../../formats.ts';
import { isPublishable, wordsOf } from './kinds.ts';
import { NameForm } from './name-form.tsx';
import { ShownOnce } from './shown-once.tsx';

interface OfKey {
  readonly record: Key;
  readonly onClose: () => void;
}

/** After a change that leaves the dialog. */
function useClosing(onClose: () => void): () => Promise<void> {
  const refresh = useRefresh();
  return async () => {
    await refresh('keys');
    onClose();
  };
}

export function RenameKey({ record, onClose }: OfKey) {
  const close = useClosing(onClose);
  const change = useChange<string | null, unknown>(
    (client, name) =>
      updateOwnKey({ client, path: { keyId: record.id }, body: { name }, throwOnError: true }),
    close,
  );
  return (
    <Dialog title={`Rename ${record.name}`} isOpen onClose={onClose}>
      <NameForm
        first={record.name}
        help="If empty, it is named after its kind."
        action="Rename"
        change={change}
        onClose={onClose}
      />
    </Dialog>
  );
}

const OVERLAPS = [
  ['0', 'Now'],
  ['1', 'In a day'],
  ['7', 'In 7 days'],
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
] as const;

/** Makes the new key beside the old one, and shows it. */
export function RotateKey({ record, onClose }: OfKey) {
  const { id, name, kind } = record;
  const refresh = useRefresh();
  const [days, setDays] = useState(isPublishable(kind) ? '90' : '7');
  const [made, setMade] = useState<RotatedKey | null>(null);
  const change = useChange<void, RotatedKey>(
    async (client) => {
      const body = { endsInDays: Number(days) };
      return (await rotateOwnKey({ client, path: { keyId: id }, body, throwOnError: true })).data;
    },
    async (key) => {
      setMade(key);
      await refresh('keys');
    },
  );
  if (made !== null)
    return (
      <Dialog title={`The new ${name}`} isOpen canClose={false} onClose={onClose}>
        <p>The old key ends {formatMoment(made.replaced.endsAt ?? '', { seconds: false })}.</p>
        <ShownOnce made={made} onClose={onClose} />
      </Dialog>
    );
  return (
    <Dialog title={`Rotate ${name}?`} isOpen onClose={onClose}>
      <p>
        A new key takes its place. Until the old one ends, both work: put the new one in place by then.{' '}
        {isPublishable(kind) && 'Installed apps keep the old one until their users update.'}
      </p>
      <Choice
        label="The old key ends"
        options={OVERLAPS}
        value={days}
        help={days === '0' ? wordsOf(kind).loss : undefined}
        onChange={({ target }) => setDays(target.value)}
      />
      <Refusal error={change.error} />
      <Actions>
        <button type="button" className="btn" onClick={onClose}>
          Keep it
        </button>
        <button
          type="button"
          className="btn btn-main"
          aria-disabled={change.isRunning}
          onClick={() => change.run()}
        >
          Rotate {name}
        </button>
      </Actions>
    </Dialog>
  );
}

/** Of a rotated key. */
export function ChangeEnd({ record, onClose }: OfKey) {
  const { id, name, kind, endsAt } = record;
  const [days, setDays] = useState('0');
  const close = useClosing(onClose);
  const change = useChange<void, unknown>((client) => {
    const end = new Date(Date.now() + Number(days) * 86_400_000).toISOString();
    return updateOwnKey({ client, path: { keyId: id }, body: { endsAt: end }, throwOnError: true });
  }, close);
  return (
    <Confirm
      title={`When does ${name} end?`}
      action={days === '0' ? `End ${name} now` : 'Change the end'}
      isOpen
      onClose={onClose}
      change={change}
    >
      <p className="pb-3">It ends {formatMoment(endsAt ?? '', { seconds: false })} as it is.</p>
      <Choice
        label="It ends"
        options={OVERLAPS}
        value={days}
        help={days === '0' ? wordsOf(kind).loss : undefined}
        onChange={({ target }) => setDays(target.value)}
      />
    </Confirm>
  );
}

export function RevokeKey({ record, onClose }: OfKey) {
  const close = useClosing(onClose);
  const change = useChange<void, unknown>(
    (client) => revokeOwnKey({ client, path: { keyId: record.id }, throwOnError: true }),
    close,
  );
  return (
    <Confirm
      title={`Revoke ${record.name}?`}
      action={`Revoke ${record.name}`}
      isOpen
      onClose={onClose}
      change={change}
    >
      <p>{wordsOf(record.kind).loss}</p>
      <p className="pt-2">
        The key <code>{record.hint}</code> is refused within seconds, and cannot be brought back. To replace
        it without a gap, rotate it.
      </p>
    </Confirm>
  );
}
