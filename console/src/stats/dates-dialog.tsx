import { useState } from 'react';
import { Actions, Dialog } from '../components/dialog.tsx';
import { Field } from '../components/field.tsx';
import { lengthOf, MAX_DAYS, type Period } from './period.ts';

type Days = Pick<Period, 'from' | 'to'>;

export function DatesDialog({
  period,
  today,
  isOpen,
  onClose,
  onPick,
}: {
  period: Days;
  /** The last day that may be chosen. */
  today: string;
  isOpen: boolean;
  onClose: () => void;
  onPick: (days: Days) => void;
}) {
  const [isTooLong, setTooLong] = useState(false);
  return (
    <Dialog title="Dates" isOpen={isOpen} onClose={onClose}>
      <form
        className="grid gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          const [from = '', to = ''] = [String(form.get('from')), String(form.get('to'))].toSorted();
          setTooLong(lengthOf({ from, to }) > MAX_DAYS);
          if (lengthOf({ from, to }) > MAX_DAYS) return;
          onPick({ from, to });
          onClose();
        }}
      >
        <Field label="First day" name="from" type="date" defaultValue={period.from} max={today} required />
        <Field
          label="Last day"
          name="to"
          type="date"
          defaultValue={period.to}
          max={today}
          required
          error={isTooLong ? `These are more than ${MAX_DAYS} days. Choose days that are closer.` : null}
        />
        <p className="meta">At most {MAX_DAYS} days, up to today.</p>
        <Actions>
          <button type="button" className="btn" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="btn btn-main">
            Show these days
          </button>
        </Actions>
      </form>
    </Dialog>
  );
}
