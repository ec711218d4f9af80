import encodeQR from 'qr';
import type { RateLimit } from '../../server/rate-limit.ts';
import { checkContrast } from './check-contrast.ts';
import { drawPng } from './draw-png.ts';
import { drawSvg } from './draw-svg.ts';

/** Rows from the top, without a margin; true for dark modules. */
export type Modules = readonly (readonly boolean[])[];

export const FORMATS = ['png', 'svg'] as const;
/** Weakest first. */
export const ERROR_CORRECTIONS = ['L', 'M', 'Q', 'H'] as const;
const LEVELS = { L: 'low', M: 'medium', Q: 'quartile', H: 'high' } as const;

export interface QrCodeStyle {
  readonly format: (typeof FORMATS)[number];
  /** Width and height of the image in pixels. */
  readonly size: number;
  /** In modules. */
  readonly margin: number;
  /** `#rrggbb`. */
  readonly color: string;
  /** `#rrggbb` or `transparent`. */
  readonly background: string;
  readonly errorCorrection: (typeof ERROR_CORRECTIONS)[number];
}

/** @throws AppError `request.invalid` for a contrast or a size too low to be scanned. */
export async function drawQrCode(
  text: string,
  style: QrCodeStyle,
): Promise<{ contentType: string; image: Buffer }> {
  checkContrast(style);
  const modules = modulesOf(text, style);
  return style.format === 'svg'
    ? { contentType: 'image/svg+xml', image: Buffer.from(drawSvg(modules, style)) }
    : { contentType: 'image/png', image: await drawPng(modules, style) };
}

/** Draws an `<svg>` element whose modules are whole pixels. */
export function drawSvgCode(
  text: string,
  { modulePixels, ...style }: Omit<QrCodeStyle, 'format' | 'size'> & { readonly modulePixels: number },
): string {
  const modules = modulesOf(text, style);
  return drawSvg(modules, { ...style, size: (modules.length + 2 * style.margin) * modulePixels });
}

/** Removes the margin, which the library always adds. */
function modulesOf(text: string, { errorCorrection }: Pick<QrCodeStyle, 'errorCorrection'>): Modules {
  const framed = encodeQR(text, 'raw', { ecc: LEVELS[errorCorrection], border: 1 });
  return framed.slice(1, -1).map((row) => row.slice(1, -1));
}

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
