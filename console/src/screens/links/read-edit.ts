import type { BatchEdit } from './batch-plan.ts';
import { readEnd } from './end.ts';
import { tagsOf } from './link-fields.ts';

/** Of the form of `BatchFields`. */
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
    ...readEnd(form, now),
  };
}
