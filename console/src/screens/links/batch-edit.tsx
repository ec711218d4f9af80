/** Tags, campaign and end of many links: what changes is shown before. */
import { updateLinks } from '@generated/sdk.gen.ts';
import type { Link, UpdateLinkOfBatch } from '@generated/types.gen.ts';
import { type FormEvent, useState } from 'react';
import { Actions, Dialog } from '../../components/dialog.tsx';
import { plural } from '../../formats.ts';
import { BatchFields } from './batch-fields.tsx';
import { type BatchEdit as Edit, overfull, planEdit } from './batch-plan.ts';
import { BatchProgress } from './batch-progress.tsx';
import { linkName } from './link-name.ts';
import { readEdit } from './read-edit.ts';
import { Some } from './some.tsx';
import { useBatch } from './use-batch.ts';

export function BatchEdit({
  links,
  isOpen,
  onClose,
}: {
  links: readonly Link[];
  isOpen: boolean;
  /** @param isDone whether links were changed. */
  onClose: (isDone: boolean) => void;
}) {
  const [edit, setEdit] = useState<Edit | null>(null);
  const batch = useBatch<UpdateLinkOfBatch>(
    async (client, some) =>
      (await updateLinks({ client, body: { links: [...some] }, throwOnError: true })).data.results,
  );
  const { state } = batch;
  const close = () => {
    onClose(batch.done > 0);
    setEdit(null);
    batch.reset();
  };
  return (
    <Dialog
      title={`Edit ${plural(links.length, 'link')}`}
      isOpen={isOpen}
      canClose={state !== 'running'}
      onClose={close}
    >
      {/* Kept while the changes are shown, so that going back loses nothing. */}
      <div hidden={edit !== null}>
        <EditForm links={links} onEdit={setEdit} onClose={close} />
      </div>
      {edit !== null && <Review {...{ links, edit, batch, close }} onBack={() => setEdit(null)} />}
    </Dialog>
  );
}

function EditForm({
  links,
  onEdit,
  onClose,
}: {
  links: readonly Link[];
  onEdit: (edit: Edit) => void;
  onClose: () => void;
}) {
  const [wrong, setWrong] = useState<string | null>(null);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const edit = readEdit(new FormData(event.currentTarget), new Date());
    const full = overfull(links, edit);
    const [first] = full;
    setWrong(
      first === undefined
        ? null
        : `${plural(full.length, 'link')} would have more than 20 tags, such as ${linkName(first)}. Add fewer, or remove some.`,
    );
    if (first === undefined) onEdit(edit);
  };
  return (
    <form className="grid gap-4" onSubmit={submit}>
      <BatchFields links={links} />
      {wrong !== null && (
        <p role="alert" className="text-bad">
          {wrong}
        </p>
      )}
      <Actions>
        <button type="button" className="btn" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" className="btn btn-main">
          Show what changes
        </button>
      </Actions>
    </form>
  );
}

function Review({
  links,
  edit,
  batch,
  close,
  onBack,
}: {
  links: readonly Link[];
  edit: Edit;
  batch: ReturnType<typeof useBatch<UpdateLinkOfBatch>>;
  close: () => void;
  onBack: () => void;
}) {
  // Of the links as they were: once changed they would need no change.
  const [plan] = useState(() => planEdit(links, edit));
  const { state, error } = batch;
  const same = links.length - plan.length;
  const isOver = state === 'done' && error === null;
  return (
    <>
      {state === 'ready' && (
        <>
          <p role="status">
            {plan.length === 0
              ? 'Nothing would change.'
              : `${plural(plan.length, 'link')} would change${same > 0 ? `; ${plural(same, 'link')} would stay as ${same === 1 ? 'it is' : 'they are'}` : ''}.`}
          </p>
          <Some
            links={plan.map(({ link }) => link)}
            textOf={(_, place) => plan[place]?.words.join('; ') ?? ''}
          />
        </>
      )}
      <BatchProgress links={links} batch={batch} verb="changed" />
      <Actions>
        {state === 'ready' ? (
          <button type="button" className="btn" onClick={onBack}>
            Back
          </button>
        ) : (
          <button type="button" className="btn" aria-disabled={state === 'running'} onClick={close}>
            Close
          </button>
        )}
        {!isOver && plan.length > 0 && (
          <button
            type="button"
            className="btn btn-main"
            // biome-ignore lint/a11y/noAutofocus: the form that had the focus is hidden
            autoFocus
            aria-disabled={state === 'running'}
            onClick={() => void batch.run(plan.map(({ body }) => body))}
          >
            {state === 'done' ? 'Change the rest' : `Change ${plural(plan.length, 'link')}`}
          </button>
        )}
      </Actions>
    </>
  );
}
