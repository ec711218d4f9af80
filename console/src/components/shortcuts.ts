/** Keys without modifiers, off in fields and while a dialog or menu is open. */
import { useEffect, useEffectEvent } from 'react';

const SWITCH = 'throughline.shortcuts';

/** The keys of each part of the page that listens, for the help. */
const listening = new Set<readonly string[]>();

/** The keys that do something on this page now. */
export function activeKeys(): ReadonlySet<string> {
  return new Set([...listening].flat());
}

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
  const names = JSON.stringify(Object.keys(keys));
  useEffect(() => {
    const own: readonly string[] = JSON.parse(names);
    listening.add(own);
    return () => void listening.delete(own);
  }, [names]);
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
