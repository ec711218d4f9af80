import { AppError } from '../../errors.ts';
import type { QrCodeStyle } from './qr-code.ts';

/** WCAG's minimum for graphics (w3.org/TR/WCAG22/#non-text-contrast), as cameras in poor light need it too. */
const MIN_CONTRAST = 3;

/** Accepts every colour on a transparent background. @throws AppError `request.invalid`. */
export function checkContrast({ color, background }: Pick<QrCodeStyle, 'color' | 'background'>): void {
  if (background === 'transparent') return;
  const contrast = contrastOf(luminanceOf(color), luminanceOf(background));
  if (contrast >= MIN_CONTRAST) return;
  // Rounded down, so that 2.96 is not shown as 3.0.
  const shown = (Math.floor(contrast * 10) / 10).toFixed(1);
  throw new AppError('request.invalid', {
    message: `color and background are too similar to be scanned: their contrast is ${shown} and must be at least ${MIN_CONTRAST}. Choose a darker color or a lighter background, as #000000 on #ffffff.`,
  });
}

/** From 1 to 21 (w3.org/TR/WCAG22/#dfn-contrast-ratio). */
function contrastOf(one: number, other: number): number {
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

/** From 0 to 1 (w3.org/TR/WCAG22/#dfn-relative-luminance). */
function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const share = Number.parseInt(color.slice(start, start + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
