import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import type { ApiError } from '../api/error.ts';
import { Actions, Dialog } from './dialog.tsx';

interface Unsaved {
  /** For the form. */
  readonly listeners: { readonly onInput: () => void; readonly onSubmitCapture: () => void };
  /** Beside the form. */
  readonly question: ReactNode;
  /** Edits are given up on purpose. */
  readonly forget: () => void;
}

/**
 * Asks before a page is left whose form has edits that were not saved.
 * @param error of the last save: its edits are still unsaved.
 * @param isEdited by other means than typing, such as a button that removes a line.
 */
export function useUnsaved(error: ApiError | null, isEdited = false): Unsaved {
  const isUnsaved = useRef(false);
  // Apart: a save that begins clears the error of the last one.
  useEffect(() => {
    if (error !== null) isUnsaved.current = true;
  }, [error]);
  useEffect(() => {
    if (isEdited) isUnsaved.current = true;
  }, [isEdited]);
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isUnsaved.current && current.pathname !== next.pathname,
    enableBeforeUnload: () => isUnsaved.current,
    withResolver: true,
  });
  const forget = () => {
    isUnsaved.current = false;
  };
  return {
    listeners: {
      onInput: () => {
        isUnsaved.current = true;
      },
      onSubmitCapture: forget,
    },
    question: (
      <Dialog
        title="Leave without saving?"
        isOpen={blocker.status === 'blocked'}
        onClose={() => blocker.reset?.()}
      >
        <p>What you changed on this page is not saved yet.</p>
        <Actions>
          <button type="button" className="btn" onClick={() => blocker.proceed?.()}>
            Leave
          </button>
          <button type="button" className="btn btn-main" onClick={() => blocker.reset?.()}>
            Stay
          </button>
        </Actions>
      </Dialog>
    ),
    forget,
  };
}
