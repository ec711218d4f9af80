import type { NewKey } from '@generated/types.gen.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { Actions } from '../../components/dialog.tsx';
import { isPublishable } from './kinds.ts';

/** A key that was just made, and what to do with it. */
export function ShownOnce({ made, onClose }: { made: NewKey; onClose: () => void }) {
  return (
    <>
      <div role="status" className="grid gap-2">
        <p>
          {isPublishable(made.kind)
            ? 'The key is public: it can be read again here.'
            : 'Copy it now: the key is shown this once.'}
        </p>
        <p className="flex flex-wrap items-center gap-2">
          <code className="min-w-0 break-all">{made.key}</code> <CopyButton text={made.key} />
        </p>
      </div>
      <Actions>
        <button type="button" className="btn btn-main" onClick={onClose}>
          Done
        </button>
      </Actions>
    </>
  );
}
