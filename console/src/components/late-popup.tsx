import type { ReactNode } from 'react';
import { type Late, useLate } from './late.ts';

/** A button whose popup is not loaded with the page. */
export function LatePopup<Code>({
  label,
  className,
  kind,
  trigger,
  code,
  wasOpened,
  onOpen,
  popup,
}: {
  /** Only for a trigger without words. */
  label?: string | undefined;
  className: string;
  kind: 'menu' | 'dialog';
  trigger: ReactNode;
  code: Late<Code>;
  wasOpened: boolean;
  onOpen: () => void;
  /** The button with its popup, which is open at first. */
  popup: (code: Code) => ReactNode;
}) {
  const loaded = useLate(code, wasOpened);
  if (wasOpened && loaded !== null) return popup(loaded);
  const load = () => void code.load().catch(() => undefined);
  return (
    <button
      type="button"
      className={className}
      aria-label={label}
      aria-haspopup={kind}
      aria-expanded={false}
      onPointerEnter={load}
      onFocus={load}
      onClick={onOpen}
      onKeyDown={(event) => {
        if (event.key !== 'ArrowDown') return;
        event.preventDefault();
        onOpen();
      }}
    >
      {trigger}
    </button>
  );
}
