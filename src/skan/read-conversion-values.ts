import type { Ctx } from '../platform/ctx.ts';
import { toWindows } from './conversion-values.ts';
import { findConversionValues } from './queries.ts';
import type { ConversionWindow } from './schemas.ts';

/** An app's names of conversion values, by window; none where it never set any. */
export async function readConversionValues(ctx: Ctx, appId: string): Promise<ConversionWindow[]> {
  const row = await findConversionValues(ctx.db, appId);
  return row === undefined ? toWindows({ windows: [] }) : (JSON.parse(row.windows) as ConversionWindow[]);
}
