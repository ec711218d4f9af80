/** The end of a link, as forms offer and read it; pure. */
import { formatMoment } from '../../formats.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

type Choices = readonly (readonly [value: string, text: string])[];

const NEW_ENDS: Choices = [
  ['days', 'In days from now'],
  ['day', 'With a day'],
];
const NEVER = ['never', 'Never'] as const;

/** For links that may have different ends. */
export const ENDS_OF_MANY: Choices = [['', 'Leave as it is'], ...NEW_ENDS, NEVER];

/** @param present of the link; null without one. */
export function endsOfOne(present: string | null): Choices {
  if (present === null) return [['', NEVER[1]], ...NEW_ENDS];
  return [['', `Leave as it is: ${formatMoment(present, { seconds: false })}`], ...NEW_ENDS, NEVER];
}

/** Nothing where the end stays. A last day is a whole day in the viewer's zone. */
export function readEnd(form: FormData, now: Date): { expiresAt?: string | null } {
  const text = (name: string) => String(form.get(name) ?? '').trim();
  switch (text('end')) {
    case 'days':
      return { expiresAt: new Date(now.getTime() + Number(text('days')) * DAY_MS).toISOString() };
    case 'day': {
      const [year = 0, month = 1, day = 1] = text('day').split('-').map(Number);
      return { expiresAt: new Date(year, month - 1, day + 1).toISOString() };
    }
    case 'never':
      return { expiresAt: null };
    default:
      return {};
  }
}
