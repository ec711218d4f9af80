import encodeQR from 'qr';
import { checkContrast } from './check-contrast.ts';
import { drawPng } from './draw-png.ts';
import { drawSvg } from './draw-svg.ts';
import type { Modules, QrCodeStyle } from './qr-code.ts';

const LEVELS = { L: 'low', M: 'medium', Q: 'quartile', H: 'high' } as const;

/**
 * A picture of the QR code of a text.
 * @throws AppError `request.invalid` for colours that no camera tells apart, or a size that is too small for the code.
 */
export async function drawQrCode(
  text: string,
  style: QrCodeStyle,
): Promise<{ contentType: string; image: Buffer }> {
  checkContrast(style);
  return style.format === 'svg'
    ? { contentType: 'image/svg+xml', image: Buffer.from(drawSvg(modulesOf(text, style), style)) }
    : { contentType: 'image/png', image: await drawPng(modulesOf(text, style), style) };
}

/** The QR code of a text as an `<svg>` for a page, with modules of whole pixels. */
export function drawSvgCode(
  text: string,
  { modulePixels, ...style }: Omit<QrCodeStyle, 'format' | 'size'> & { readonly modulePixels: number },
): string {
  const modules = modulesOf(text, style);
  return drawSvg(modules, { ...style, size: (modules.length + 2 * style.margin) * modulePixels });
}

/** The library insists on a margin, which goes: ours may be zero. */
function modulesOf(text: string, { errorCorrection }: Pick<QrCodeStyle, 'errorCorrection'>): Modules {
  const framed = encodeQR(text, 'raw', { ecc: LEVELS[errorCorrection], border: 1 });
  return framed.slice(1, -1).map((row) => row.slice(1, -1));
}
