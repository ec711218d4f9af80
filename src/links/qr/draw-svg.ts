import type { Modules, QrCodeStyle } from './qr-code.ts';

/** Uses one unit per module, so that the image is sharp at every size. */
export function drawSvg(
  modules: Modules,
  { size, margin, color, background }: Omit<QrCodeStyle, 'format'>,
): string {
  const side = modules.length + 2 * margin;
  const backdrop =
    background === 'transparent' ? '' : `<rect width="${side}" height="${side}" fill="${background}"/>`;
  const runs = modules.flatMap((row, y) =>
    runsOf(row).map(({ start, length }) => `M${start + margin} ${y + margin}h${length}v1h-${length}z`),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges">${backdrop}<path fill="${color}" d="${runs.join('')}"/></svg>`;
}

/** Joins adjacent modules, between which a renderer may leave a gap. */
function runsOf(row: readonly boolean[]): { start: number; length: number }[] {
  const runs: { start: number; length: number }[] = [];
  row.forEach((isSet, x) => {
    const last = runs.at(-1);
    if (!isSet) return;
    if (last !== undefined && last.start + last.length === x) last.length += 1;
    else runs.push({ start: x, length: 1 });
  });
  return runs;
}
