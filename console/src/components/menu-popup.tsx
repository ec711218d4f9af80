import { Menu as Base } from '@base-ui/react/menu';
import type { ReactNode } from 'react';

/** The button of a menu that was opened once. */
export function MenuPopup({
  label,
  className,
  trigger,
  align,
  children,
}: {
  label: string | undefined;
  className: string;
  trigger: ReactNode;
  align: 'start' | 'end';
  children: ReactNode;
}) {
  return (
    <Base.Root modal={false} defaultOpen>
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

export function Options({
  value,
  options,
  onPick,
}: {
  value: string;
  options: readonly (readonly [value: string, text: string])[];
  onPick: (value: string) => void;
}) {
  return (
    <Base.RadioGroup value={value} onValueChange={(next: string) => onPick(next)}>
      {options.map(([each, text]) => (
        <Base.RadioItem key={each} value={each} closeOnClick className="menu-item">
          {text}
          <Base.RadioItemIndicator className="text-accent">✓</Base.RadioItemIndicator>
        </Base.RadioItem>
      ))}
    </Base.RadioGroup>
  );
}

export function Checks({
  chosen,
  options,
  onToggle,
}: {
  chosen: readonly string[];
  options: readonly (readonly [value: string, text: string, help?: string | undefined])[];
  onToggle: (value: string) => void;
}) {
  return options.map(([value, text, help]) => (
    <Base.CheckboxItem
      key={value}
      checked={chosen.includes(value)}
      onCheckedChange={() => onToggle(value)}
      title={help}
      className="menu-item"
    >
      {text}
      <Base.CheckboxItemIndicator className="text-accent">✓</Base.CheckboxItemIndicator>
    </Base.CheckboxItem>
  ));
}
