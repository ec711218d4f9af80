import { Actions, Dialog } from '../components/dialog.tsx';
import { Field } from '../components/field.tsx';
import type { Period } from './period.ts';

type Days = Pick<Period, 'from' | 'to'>;

export function DatesDialog({
  period,
  isOpen,
  onClose,
  onPick,
}: {
  period: Days;
  isOpen: boolean;
  onClose: () => void;
  onPick: (days: Days) => void;
}) {
  return (
    <Dialog title="Dates" isOpen={isOpen} onClose={onClose}>
      <form
        className="grid gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          const days = [String(form.get('from')), String(form.get('to'))].toSorted();
          onPick({ from: days[0] ?? '', to: days[1] ?? '' });
          onClose();
        }}
      >
        <Field label="First day" name="from" type="date" defaultValue={period.from} required />
        <Field label="Last day" name="to" type="date" defaultValue={period.to} required />
        <p className="meta">At most 366 days.</p>
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
