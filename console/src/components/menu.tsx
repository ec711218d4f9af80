/** Buttons that open a list of actions, places or values. */
import { type ComponentProps, type ReactNode, useState } from 'react';
import { late } from './late.ts';
import { LatePopup } from './late-popup.tsx';
import type * as Popup from './menu-popup.tsx';

const code = late(() => import('./menu-popup.tsx'));

/** Only within a menu, whose code is loaded before it opens. */
export function MenuItem(props: ComponentProps<typeof Popup.MenuItem>) {
  const popup = code.get();
  return popup !== null && <popup.MenuItem {...props} />;
}

function Options(props: ComponentProps<typeof Popup.Options>) {
  const popup = code.get();
  return popup !== null && <popup.Options {...props} />;
}

/** Items that can be on, each by itself; the menu stays open. */
export function Checks(props: ComponentProps<typeof Popup.Checks>) {
  const popup = code.get();
  return popup !== null && <popup.Checks {...props} />;
}

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
  const [wasOpened, setOpened] = useState(false);
  const common = { label, className, trigger };
  return (
    <LatePopup
      {...common}
      kind="menu"
      code={code}
      wasOpened={wasOpened}
      onOpen={() => setOpened(true)}
      popup={({ MenuPopup }) => (
        <MenuPopup {...common} align={align}>
          {children}
        </MenuPopup>
      )}
    />
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
      <Options
        value={value}
        options={options}
        onPick={(picked) => {
          const option = options.find(([each]) => each === picked);
          if (option !== undefined) onPick(option[0]);
        }}
      />
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
