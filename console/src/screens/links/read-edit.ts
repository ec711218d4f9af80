import type { BatchEdit } from './batch-plan.ts';
import { tagsOf } from './link-fields.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Of the form of `BatchFields`. A last day is a whole day in the viewer's zone. */
export function readEdit(form: FormData, now: Date): BatchEdit {
  const text = (name: string) => String(form.get(name) ?? '').trim();
  const tags = text('tags');
  const campaign = text('campaign');
  return {
    addTags: tagsOf(form, 'addTags'),
    removeTags: tagsOf(form, 'removeTags'),
    onlyTags: tags === 'none' ? [] : tags === 'only' ? tagsOf(form, 'onlyTags') : null,
    ...(campaign === 'set' && { campaignId: text('campaignId') }),
    ...(campaign === 'none' && { campaignId: null }),
    ...endOf(text, now),
  };
}

function endOf(text: (name: string) => string, now: Date): Pick<BatchEdit, 'expiresAt'> {
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
