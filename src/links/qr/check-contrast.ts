import { AppError } from '../../platform/errors.ts';
import type { QrCodeStyle } from './qr-code.ts';

/** What WCAG asks of graphics: cameras in poor light are no better than eyes (w3.org/TR/WCAG22/#non-text-contrast). */
const MIN_CONTRAST = 3;

/**
 * Of a transparent background nothing is known, so every colour passes.
 * @throws AppError `request.invalid` for colours that are too much alike to be scanned.
 */
export function checkContrast({ color, background }: Pick<QrCodeStyle, 'color' | 'background'>): void {
  if (background === 'transparent') return;
  const contrast = contrastOf(luminanceOf(color), luminanceOf(background));
  if (contrast >= MIN_CONTRAST) return;
  // Cut, not rounded: 2.96 must not read as 3.0.
  const shown = (Math.floor(contrast * 10) / 10).toFixed(1);
  throw new AppError('request.invalid', {
    message: `color and background are too much alike to be scanned: their contrast is ${shown}, and must be at least ${MIN_CONTRAST}. Choose a darker color or a lighter background, as #000000 on #ffffff.`,
  });
}

/** From 1, the same, to 21, black on white (w3.org/TR/WCAG22/#dfn-contrast-ratio). */
function contrastOf(one: number, other: number): number {
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

/** Of a colour `#rrggbb`, from 0 to 1 (w3.org/TR/WCAG22/#dfn-relative-luminance). */
function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const share = Number.parseInt(color.slice(start, start + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
