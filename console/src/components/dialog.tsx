import { Dialog as Base } from '@base-ui/react/dialog';
import type { ComponentProps, ReactNode } from 'react';

/** Floats above the page. `canClose` is false where leaving would lose something. */
export function Dialog({
  title,
  isOpen,
  onClose,
  canClose = true,
  children,
  ...focus
}: {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  canClose?: boolean;
  children: ReactNode;
} & Pick<ComponentProps<typeof Base.Popup>, 'initialFocus' | 'finalFocus'>) {
  return (
    <Base.Root
      open={isOpen}
      disablePointerDismissal={!canClose}
      onOpenChange={(open) => {
        if (!open && canClose) onClose();
      }}
    >
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-30 bg-[rgb(0_0_0/0.35)]" />
        <Base.Popup
          {...focus}
          className="fixed top-[12vh] left-1/2 z-40 grid max-h-[80vh] w-[440px] max-w-[calc(100vw-32px)] -translate-x-1/2 gap-3 overflow-y-auto rounded-l bg-raised px-5 py-[18px] shadow-float"
        >
          <Base.Title>{title}</Base.Title>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/** The buttons at the end of a dialog. */
export function Actions({ children }: { children: ReactNode }) {
  return <div className="flex flex-wrap justify-end gap-2 pt-1.5">{children}</div>;
}
