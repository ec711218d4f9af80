import { useBlocker } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { Actions, Dialog } from './dialog.tsx';

/**
 * Inside a form: asks before a page is left while the form's named fields differ from what they were. A page that goes
 * on after a save, or gives the edits up, leaves with `ignoreBlocker`.
 * @param version of what the form was filled with, for a form that stays after a save.
 * @param isEdited in what no field holds, or one that comes after a read.
 */
export function Unsaved({ version = '', isEdited = false }: { version?: string; isEdited?: boolean }) {
  const place = useRef<HTMLSpanElement>(null);
  const stay = useRef<HTMLButtonElement>(null);
  const first = useRef({ names: new Set<string>(), values: '' });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the fields are made anew for each version
  useEffect(() => {
    const names = namesAt(place.current);
    first.current = { names, values: valuesAt(place.current, names) };
  }, [version]);
  const isUnsaved = () => isEdited || valuesAt(place.current, first.current.names) !== first.current.values;
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && isUnsaved(),
    enableBeforeUnload: isUnsaved,
    withResolver: true,
  });
  return (
    <>
      <span ref={place} hidden />
      <Dialog
        title="Leave without saving?"
        isOpen={blocker.status === 'blocked'}
        onClose={() => blocker.reset?.()}
        initialFocus={stay}
      >
        <p>What you changed on this page is not saved.</p>
        <Actions>
          <button type="button" className="btn" onClick={() => blocker.proceed?.()}>
            Leave
          </button>
          <button ref={stay} type="button" className="btn btn-main" onClick={() => blocker.reset?.()}>
            Stay
          </button>
        </Actions>
      </Dialog>
    </>
  );
}

function namesAt(place: HTMLElement | null): Set<string> {
  const fields = place?.closest('form')?.elements ?? [];
  return new Set([...fields].map((field) => field.getAttribute('name') ?? ''));
}

function valuesAt(place: HTMLElement | null, names: ReadonlySet<string>): string {
  const form = place?.closest('form');
  return form == null ? '' : JSON.stringify([...new FormData(form)].filter(([name]) => names.has(name)));
}
