/** Tags of links: how they are written, and when two are the same. */
import { AppError } from '../../errors.ts';
import { foldText, oneLine } from '../../lib/text.ts';

/** Such as zero-width characters, which nobody sees. */
const FORMAT = /\p{Cf}/gu;

/** What tags have in common that count as one: neither capitals nor characters that nobody sees make another one. */
export function tagKey(tag: string): string {
  return foldText(oneLine(tag)).replace(FORMAT, '');
}

/**
 * In the spelling that was given, in one line, without what turns the direction of the text around them; of several that
 * count as one the first.
 * @throws AppError `request.invalid` for a tag without characters that people see.
 */
export function tagsOf(given: readonly string[]): string[] {
  const tags = new Map<string, string>();
  for (const [index, text] of given.entries()) {
    const key = tagKey(text);
    if (key === '')
      throw new AppError('request.invalid', {
        message: `tags.${index} must have characters that people see. Remove it, or write its name.`,
      });
    if (!tags.has(key)) tags.set(key, oneLine(text));
  }
  return [...tags.values()];
}
