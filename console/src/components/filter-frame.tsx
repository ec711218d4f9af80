import { Popover } from '@base-ui/react/popover';
import type { ReactNode } from 'react';

export interface FilterFrameProps {
  readonly className: string;
  readonly trigger: ReactNode;
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
}

/** The button of the filters with what it opens. */
export function FilterFrame({
  className,
  trigger,
  isOpen,
  onOpen,
  children,
}: FilterFrameProps & { children: ReactNode }) {
  return (
    <Popover.Root open={isOpen} onOpenChange={onOpen}>
      <Popover.Trigger className={className}>{trigger}</Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={4} align="start" className="z-20">
          <Popover.Popup className="menu grid w-[320px] gap-1" aria-label="Filter">
            {children}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
