import { deleteLinks } from '@generated/sdk.gen.ts';
import type { Link } from '@generated/types.gen.ts';
import { Actions, Dialog } from '../../components/dialog.tsx';
import { plural } from '../../formats.ts';
import { BatchProgress } from './batch-progress.tsx';
import { linkAddress } from './link-name.ts';
import { Some } from './some.tsx';
import { useBatch } from './use-batch.ts';

export function BatchDelete({
  links,
  isOpen,
  onClose,
}: {
  links: readonly Link[];
  isOpen: boolean;
  /** @param isDone whether links were deleted. */
  onClose: (isDone: boolean) => void;
}) {
  const batch = useBatch<Link>(async (client, some) => {
    const body = { shortCodes: some.map(({ shortCode }) => shortCode) };
    return (await deleteLinks({ client, body, throwOnError: true })).data.results;
  });
  const { state, error, done } = batch;
  const close = () => {
    onClose(done > 0);
    batch.reset();
  };
  const isOver = state === 'done' && error === null;
  const action = `Delete ${plural(links.length, 'link')}`;
  return (
    <Dialog title={`${action}?`} isOpen={isOpen} canClose={state !== 'running'} onClose={close}>
      {state === 'ready' && (
        <>
          <p>
            Their visitors then get a page that says they do not exist. Their codes are never used again;
            their numbers stay.
          </p>
          <Some links={links} textOf={(link) => (link.title === null ? '' : linkAddress(link))} />
        </>
      )}
      <BatchProgress links={links} batch={batch} verb="deleted" />
      <Actions>
        <button type="button" className="btn" aria-disabled={state === 'running'} onClick={close}>
          {state === 'ready' ? 'Keep them' : 'Close'}
        </button>
        {!isOver && (
          <button
            type="button"
            className="btn btn-danger"
            aria-disabled={state === 'running'}
            onClick={() => void batch.run(links)}
          >
            {state === 'done' ? 'Delete the rest' : action}
          </button>
        )}
      </Actions>
    </Dialog>
  );
}
