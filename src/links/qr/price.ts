import type { RateLimit } from '../../server/rate-limit.ts';
import type { QrCodeStyle } from './qr-code.ts';

/** Points a minute of an app's keys of a kind, or its sessions: 75 of the largest codes or 600 of the usual ones. */
export const QR_LIMIT: Omit<RateLimit, 'countedBy'> = { name: 'qr', points: 1_200, shared: false };

const LARGEST_PIXELS = 2_048 ** 2;
const POINTS_OF_LARGEST = 12;
const POINTS_OF_QUERY = 3;

/** From 1 to 16 points, in proportion to the time that drawing takes: of a long text its modules, of a PNG its pixels. */
export function priceOf({
  format,
  size,
  query,
}: Pick<QrCodeStyle, 'format' | 'size'> & { query?: string }): number {
  const pixels = format === 'png' ? Math.ceil((POINTS_OF_LARGEST * size ** 2) / LARGEST_PIXELS) : 0;
  return 1 + (query === undefined ? 0 : POINTS_OF_QUERY) + pixels;
}
