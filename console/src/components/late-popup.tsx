import { type ReactNode, Suspense } from 'react';

/**
 * A button whose popup is loaded when it opens first.
 * @param popup the button with its popup, which is open at first.
 */
export function LatePopup({
  label,
  className,
  kind,
  trigger,
  load,
  wasOpened,
  onOpen,
  popup,
}: {
  /** Only for a trigger without words. */
  label?: string | undefined;
  className: string;
  kind: 'menu' | 'dialog';
  trigger: ReactNode;
  /** Begins the loading, as soon as the popup is likely to open. */
  load: () => unknown;
  wasOpened: boolean;
  onOpen: () => void;
  popup: ReactNode;
}) {
  const button = (
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
  return wasOpened ? <Suspense fallback={button}>{popup}</Suspense> : button;
}
