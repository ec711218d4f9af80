import { createOwnKey } from '@generated/sdk.gen.ts';
import type { NewKey } from '@generated/types.gen.ts';
import { useState } from 'react';
import { useChange } from '../../api/use-change.ts';
import { useRefresh } from '../../api/use-read.ts';
import { Actions, Dialog } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';
import { Menu, MenuItem } from '../../components/menu.tsx';
import { Refusal } from '../../components/pane.tsx';
import { KINDS, type Kind, wordsOf } from './kinds.ts';
import { ShownOnce } from './shown-once.tsx';

/** Asks for the kind, then for a name, and shows the key. */
export function MakeKey() {
  const [kind, setKind] = useState<Kind | null>(null);
  return (
    <div className="ml-auto">
      <Menu trigger="New key" align="end">
        {KINDS.map(({ kind: each, name, help }) => (
          <MenuItem key={each} onSelect={() => setKind(each)}>
            <span>
              {name}
              <span className="meta block">{help}</span>
            </span>
          </MenuItem>
        ))}
      </Menu>
      {kind !== null && <NameAndMake kind={kind} onClose={() => setKind(null)} />}
    </div>
  );
}

function NameAndMake({ kind, onClose }: { kind: Kind; onClose: () => void }) {
  const refresh = useRefresh();
  const [name, setName] = useState('');
  const [made, setMade] = useState<NewKey | null>(null);
  const change = useChange<void, NewKey>(
    async (client) => {
      const body = { kind, name: name.trim() === '' ? null : name };
      return (await createOwnKey({ client, body, throwOnError: true })).data;
    },
    async (key) => {
      setMade(key);
      await refresh('keys');
    },
  );
  return (
    <Dialog
      title={made === null ? `New key: ${wordsOf(kind).name}` : made.name}
      isOpen
      canClose={made === null}
      onClose={onClose}
    >
      {made === null ? (
        <form
          className="grid gap-3"
          onSubmit={(event) => {
            event.preventDefault();
            change.run();
          }}
        >
          <Field
            label="Name"
            name="name"
            maxLength={64}
            value={name}
            help="What uses the key, such as “Billing server”. It can be changed later."
            onChange={({ target }) => setName(target.value)}
          />
          <Refusal error={change.error} />
          <Actions>
            <button type="button" className="btn" onClick={onClose}>
              Cancel
            </button>
            <button type="submit" className="btn btn-main" aria-disabled={change.isRunning}>
              Make key
            </button>
          </Actions>
        </form>
      ) : (
        <ShownOnce made={made} onClose={onClose} />
      )}
    </Dialog>
  );
}
