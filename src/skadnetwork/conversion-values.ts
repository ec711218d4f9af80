import { recordChange } from '../audit/index.ts';
import { type Actor, authorOf } from '../auth/index.ts';
import { type Db, toFlag } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { isoTime } from '../lib/clock.ts';
import { type CoarseValue, WINDOWS } from './postback.ts';
import { findConversionValues, upsertConversionValues } from './queries.ts';
import type { ConversionValueRange, ConversionWindow, SetConversionValuesInput } from './schemas.ts';

type SetRange = NonNullable<SetConversionValuesInput['windows'][number]['fine']>[number];

const NO_NAMES: ConversionWindow = { fine: [], coarse: { low: null, medium: null, high: null } };

/** An app's names of conversion values, by window; without names if the app has set none. */
export async function readConversionValues(db: Db, appId: string): Promise<ConversionWindow[]> {
  const row = await findConversionValues(db, appId);
  // Earlier versions stored ranges without `minRevenue` and `lock`.
  return toWindows({ windows: row === undefined ? [] : JSON.parse(row.windows) });
}

/** Replaces all names; they apply to stored postbacks too. @throws AppError `request.invalid` for invalid ranges. */
export async function setConversionValues(
  { db, clock, ids }: Pick<Foundation, 'db' | 'clock' | 'ids'>,
  { actor, input }: { actor: Actor; input: SetConversionValuesInput },
): Promise<ConversionWindow[]> {
  const windows = toWindows(input);
  const { appId, mode } = actor;
  await db.transaction().execute(async (tx) => {
    await upsertConversionValues(tx, {
      app_id: appId,
      windows: JSON.stringify(windows),
      updated_at: isoTime(clock.nowMs()),
    });
    const change = { appId, by: authorOf(actor), recordId: appId, sandbox: toFlag(mode === 'test') };
    await recordChange(tx, { clock, ids }, { ...change, action: 'conversion_values.updated' });
  });
  return windows;
}

/** @returns one entry for each window, with its ranges in order. */
function toWindows({ windows }: SetConversionValuesInput): ConversionWindow[] {
  return Array.from({ length: WINDOWS }, (_, index) => {
    const { fine, coarse } = windows[index] ?? {};
    const window = { fine: (fine ?? []).map(toRange), coarse: { ...NO_NAMES.coarse, ...coarse } };
    window.fine.sort((a, b) => a.from - b.from);
    checkRanges(window, index);
    return window;
  });
}

function toRange({ from, to, eventName, minRevenue = null, lock = false }: SetRange): ConversionValueRange {
  return { from, to, eventName, minRevenue, lock };
}

function checkRanges({ fine }: ConversionWindow, index: number): void {
  const refuse = (rule: string) => {
    throw new AppError('request.invalid', { message: `windows.${index}.fine ${rule}` });
  };
  for (const [place, { from, to }] of fine.entries()) {
    if (to < from) refuse(`has a range from ${from} to ${to}. Set from to the smaller value.`);
    const before = fine[place - 1];
    if (before !== undefined && from <= before.to)
      refuse(`has two ranges with the value ${from}. Remove one range.`);
  }
}

/** The app's name for the value of a postback; null without a value or a name. */
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
