/** A QR code as an SVG of elements: nothing is requested, and no style is needed. */
import { encodeQr } from './qr-code.ts';

const SVG = 'http://www.w3.org/2000/svg';
/** Of the standard: cameras need it. */
const QUIET_MODULES = 4;

/** @param texts the first that a code can hold is drawn. */
export function drawQr(texts: readonly string[], element: Element, label: string): void {
  const grid = texts.map(encodeQr).find(Boolean);
  if (!grid) return;
  const size = grid.length + 2 * QUIET_MODULES;
  const path = grid.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')));
  const corner = `-${QUIET_MODULES} -${QUIET_MODULES}`;
  const svg = make('svg', {
    role: 'img',
    'aria-label': label,
    viewBox: `${corner} ${size} ${size}`,
    'shape-rendering': 'crispEdges',
  });
  svg.append(
    make('path', { fill: '#fff', d: `M${corner}h${size}v${size}h-${size}z` }),
    make('path', { d: path.join('') }),
  );
  element.replaceChildren(svg);
}

function make(name: string, attributes: Readonly<Record<string, string>>): Element {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}
