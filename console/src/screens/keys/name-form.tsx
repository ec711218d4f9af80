import { useState } from 'react';
import type { Change } from '../../api/use-change.ts';
import { Actions } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';
import { Refusal } from '../../components/pane.tsx';

/** @param change of the name; null lets the service name the key after its kind. */
export function NameForm({
  first = '',
  help,
  action,
  change,
  onClose,
}: {
  first?: string;
  help: string;
  action: string;
  change: Change<string | null>;
  onClose: () => void;
}) {
  const [name, setName] = useState(first);
  return (
    <form
      className="grid gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        change.run(name.trim() === '' ? null : name);
      }}
    >
      <Field
        label="Name"
        name="name"
        maxLength={64}
        value={name}
        help={help}
        onChange={({ target }) => setName(target.value)}
      />
      <Refusal error={change.error} />
      <Actions>
        <button type="button" className="btn" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" className="btn btn-main" aria-disabled={change.isRunning}>
          {action}
        </button>
      </Actions>
    </form>
  );
}
