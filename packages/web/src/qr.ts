/** A QR code as an SVG of elements: nothing is requested, and no style is needed. */
import { encodeQr } from './qr-code.ts';

const SVG = 'http://www.w3.org/2000/svg';
/** Of the standard: cameras need it. */
const QUIET_MODULES = 4;

/** @param texts the second is drawn where the first is longer than a code can hold. */
export function drawQr(texts: readonly [string, string], element: Element, label: string): void {
  const grid = encodeQr(texts[0]) ?? encodeQr(texts[1]);
  if (!grid) return;
  const size = grid.length + 2 * QUIET_MODULES;
  const path = grid.flatMap((row, y) =>
    row.map((isDark, x) => (isDark ? `M${x + QUIET_MODULES} ${y + QUIET_MODULES}h1v1h-1z` : '')),
  );
  const box = `0 0 ${size} ${size}`;
  const svg = make('svg', {
    role: 'img',
    'aria-label': label,
    viewBox: box,
    'shape-rendering': 'crispEdges',
  });
  svg.append(
    make('path', { fill: '#fff', d: `M0 0h${size}v${size}H0z` }),
    make('path', { d: path.join('') }),
  );
  element.replaceChildren(svg);
}

function make(name: string, attributes: Readonly<Record<string, string>>): Element {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}
