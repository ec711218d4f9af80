import { AppError } from '../platform/errors.ts';
import { type CoarseValue, WINDOWS } from './postback.ts';
import type { ConversionWindow, SetConversionValuesInput } from './schemas.ts';

const NO_NAMES: ConversionWindow = { fine: [], coarse: { low: null, medium: null, high: null } };

/**
 * One entry for each window, whatever was given of it.
 * @throws AppError where a range ends before it begins, or two ranges of a window share a value.
 */
export function toWindows({ windows }: SetConversionValuesInput): ConversionWindow[] {
  return Array.from({ length: WINDOWS }, (_, index) => {
    const { fine, coarse } = windows[index] ?? {};
    const window = { fine: [...(fine ?? [])], coarse: { ...NO_NAMES.coarse, ...coarse } };
    window.fine.sort((a, b) => a.from - b.from);
    checkRanges(window, index);
    return window;
  });
}

function checkRanges({ fine }: ConversionWindow, index: number): void {
  const refuse = (rule: string) => {
    throw new AppError('request.invalid', { message: `windows.${index}.fine ${rule}` });
  };
  for (const [place, { from, to }] of fine.entries()) {
    if (to < from) refuse(`has a range from ${from} to ${to}. Set from to the smaller value.`);
    const before = fine[place - 1];
    if (before !== undefined && from <= before.to) refuse(`names the value ${from} twice. Remove one range.`);
  }
}

/** What the app calls a postback's value; null where there is none, or no name for it. */
export function eventNameOf(
  windows: readonly ConversionWindow[],
  postback: {
    sequence_index: number;
    conversion_value: number | null;
    coarse_conversion_value: string | null;
  },
): string | null {
  const { sequence_index: index, conversion_value: fine, coarse_conversion_value: coarse } = postback;
  const window = windows[index] ?? NO_NAMES;
  if (fine !== null) return window.fine.find(({ from, to }) => fine >= from && fine <= to)?.eventName ?? null;
  return coarse === null ? null : window.coarse[coarse as CoarseValue];
}
