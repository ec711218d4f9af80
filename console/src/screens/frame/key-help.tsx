import { use, useState } from 'react';
import { AppContext } from '../../api/app-context.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Check } from '../../components/field.tsx';
import { areShortcutsOn, switchShortcuts } from '../../components/shortcuts.ts';
import { groupsOf } from './nav.ts';

const KEYS = [
  ['/', 'Search'],
  ['F', 'Filter'],
  ['C', 'Copy the link'],
  ['E', 'Edit the link'],
  ['J K', 'Next and previous'],
  ['Space', 'Pause Live'],
] as const;

export function KeyHelp({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const [isOn, setOn] = useState(areShortcutsOn);
  const { user } = use(AppContext);
  const places = groupsOf(user).flatMap(({ places }) => places);
  return (
    <Dialog title="Keyboard shortcuts" isOpen={isOpen} onClose={onClose}>
      <dl className="grid grid-cols-2 gap-x-6 gap-y-1 max-phone:grid-cols-1">
        {KEYS.map(([key, does]) => (
          <Row key={key} keys={key} does={does} />
        ))}
        {places.map(({ key, name }) => (
          <Row key={key} keys={`G ${key.toUpperCase()}`} does={name} />
        ))}
      </dl>
      <Check
        label="Shortcuts are on"
        help="They are off in fields anyway."
        checked={isOn}
        onChange={({ target }) => {
          setOn(target.checked);
          switchShortcuts(target.checked);
        }}
      />
    </Dialog>
  );
}

function Row({ keys, does }: { keys: string; does: string }) {
  return (
    <div className="flex justify-between gap-4 py-0.5">
      <dt>{does}</dt>
      <dd className="flex gap-1">
        {keys.split(' ').map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </dd>
    </div>
  );
}
