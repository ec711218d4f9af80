/** Keys without modifiers, off in fields and while a dialog or menu is open. */
import { useEffect, useEffectEvent } from 'react';

const SWITCH = 'throughline.shortcuts';

export function areShortcutsOn(): boolean {
  return localStorage.getItem(SWITCH) !== 'off';
}

export function switchShortcuts(isOn: boolean): void {
  localStorage.setItem(SWITCH, isOn ? 'on' : 'off');
}

/** @param keys `?`, `g o` for two keys in a row, or names such as `Escape`. */
export function useShortcuts(keys: Readonly<Record<string, () => void>>): void {
  const press = useEffectEvent((event: KeyboardEvent, before: string) => {
    const action = keys[`${before} ${event.key}`.trim()] ?? keys[event.key];
    if (action === undefined) return;
    event.preventDefault();
    action();
  });
  useEffect(() => {
    let before = '';
    const listen = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isBusy(event.target)) return;
      if (areShortcutsOn()) press(event, before);
      before = event.key === 'g' && before === '' ? 'g' : '';
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
}

function isBusy(target: EventTarget | null): boolean {
  if (document.querySelector('[role="dialog"], [role="menu"]') !== null) return true;
  return target instanceof HTMLElement && target.closest('input, textarea, select') !== null;
}
