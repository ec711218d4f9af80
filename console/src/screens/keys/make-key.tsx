import { createOwnKey } from '@generated/sdk.gen.ts';
import type { NewKey } from '@generated/types.gen.ts';
import { useState } from 'react';
import { useChange } from '../../api/use-change.ts';
import { useRefresh } from '../../api/use-read.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Menu, MenuItem } from '../../components/menu.tsx';
import { KINDS, type Kind, wordsOf } from './kinds.ts';
import { NameForm } from './name-form.tsx';
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
  const [made, setMade] = useState<NewKey | null>(null);
  const change = useChange<string | null, NewKey>(
    async (client, name) => (await createOwnKey({ client, body: { kind, name }, throwOnError: true })).data,
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
        <NameForm
          help="What uses the key, such as “Billing server”. It can be changed later."
          action="Make key"
          change={change}
          onClose={onClose}
        />
      ) : (
        <ShownOnce made={made} onClose={onClose} />
      )}
    </Dialog>
  );
}
