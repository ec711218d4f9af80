import { type ReactNode, useState } from 'react';
import type { FilterFrameProps } from './filter-frame.tsx';
import type { Late } from './late.ts';
import { LatePopup } from './late-popup.tsx';
import { useShortcuts } from './shortcuts.ts';

/** Opens what narrows a page down, also by F. @param popup a `FilterFrame` with these props. */
export function FilterButton<Code>({
  code,
  popup,
}: {
  code: Late<Code>;
  popup: (code: Code, frame: FilterFrameProps) => ReactNode;
}) {
  const [state, setState] = useState<'new' | 'open' | 'closed'>('new');
  const open = () => setState('open');
  useShortcuts({ f: open });
  const common = {
    className: 'btn btn-quiet',
    trigger: (
      <>
        + Filter <kbd>F</kbd>
      </>
    ),
  };
  return (
    <LatePopup
      {...common}
      kind="dialog"
      code={code}
      wasOpened={state !== 'new'}
      onOpen={open}
      popup={(loaded) =>
        popup(loaded, {
          ...common,
          isOpen: state === 'open',
          onOpen: (isOpen) => setState(isOpen ? 'open' : 'closed'),
        })
      }
    />
  );
}
