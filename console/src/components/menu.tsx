import { Menu as Base } from '@base-ui/react/menu';
import type { ReactNode } from 'react';

/** A button that opens a list of actions or places. */
export function Menu({
  label,
  trigger,
  className = 'btn',
  align = 'start',
  children,
}: {
  /** Only for a trigger without words. */
  label?: string;
  trigger: ReactNode;
  className?: string;
  align?: 'start' | 'end';
  children: ReactNode;
}) {
  return (
    <Base.Root modal={false}>
      <Base.Trigger className={className} aria-label={label}>
        {trigger}
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={4} align={align} className="z-20">
          <Base.Popup className="menu max-h-[70vh] overflow-y-auto">{children}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

export function MenuItem({ onSelect, children }: { onSelect: () => void; children: ReactNode }) {
  return (
    <Base.Item className="menu-item" onClick={onSelect}>
      {children}
    </Base.Item>
  );
}

/** A button that names the chosen value and opens the others. */
export function Picker<T extends string>({
  label,
  value,
  options,
  onPick,
  className = 'btn',
}: {
  label: string;
  value: T;
  options: readonly (readonly [value: T, text: string])[];
  onPick: (value: T) => void;
  className?: string;
}) {
  const chosen = options.find(([each]) => each === value)?.[1] ?? value;
  return (
    <Menu
      className={className}
      label={`${label}: ${chosen}`}
      trigger={
        <>
          {chosen} <Caret />
        </>
      }
    >
      <Base.RadioGroup value={value} onValueChange={(next: T) => onPick(next)}>
        {options.map(([each, text]) => (
          <Base.RadioItem key={each} value={each} closeOnClick className="menu-item">
            {text}
            <Base.RadioItemIndicator className="text-accent">✓</Base.RadioItemIndicator>
          </Base.RadioItem>
        ))}
      </Base.RadioGroup>
    </Menu>
  );
}

/** Drawn, so that it needs no font. */
export function Caret() {
  return (
    <svg viewBox="0 0 8 5" aria-hidden="true" className="w-[7px] flex-none text-ink-3">
      <path d="M0 0h8L4 5z" fill="currentColor" />
    </svg>
  );
}
