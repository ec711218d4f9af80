import type { ReactNode } from 'react';
import type { Change } from '../api/use-change.ts';
import { Actions, Dialog } from './dialog.tsx';
import { Refusal } from './pane.tsx';

/** Names the thing and the loss; the button repeats what it does. */
export function Confirm({
  title,
  action,
  keep = 'Keep it',
  isLoss = true,
  isOpen,
  onClose,
  change,
  children,
}: {
  title: string;
  action: string;
  keep?: string;
  /** Whether something is lost, which the colour of the button says. */
  isLoss?: boolean;
  isOpen: boolean;
  onClose: () => void;
  change: Change<void>;
  children: ReactNode;
}) {
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose}>
      <div className="grid gap-2">{children}</div>
      <Refusal error={change.error} />
      <Actions>
        <button type="button" className="btn" onClick={onClose}>
          {keep}
        </button>
        <button
          type="button"
          className={`btn ${isLoss ? 'btn-danger' : 'btn-main'}`}
          aria-disabled={change.isRunning}
          onClick={() => change.run()}
        >
          {action}
        </button>
      </Actions>
    </Dialog>
  );
}
