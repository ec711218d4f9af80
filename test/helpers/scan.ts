/** Reads QR codes from images with libraries independent of the one that draws them. */
import jsqr from 'jsqr';
import { PNG } from 'pngjs';

export interface Picture {
  readonly width: number;
  readonly height: number;
  /** Four bytes a pixel: red, green, blue, alpha. */
  readonly data: Uint8ClampedArray;
}

/** Side length of a small picture in camera pixels. */
const SEEN_PIXELS = 400;

/** The content of the code as a close camera reads it; null if it is unreadable. */
export function scan(picture: Picture): string | null {
  const { width, height, data } = enlarge(onWhite(picture), Math.ceil(SEEN_PIXELS / picture.width));
  return jsqr.default(data, width, height)?.data ?? null;
}

export function readPng(bytes: Buffer): Picture {
  const { width, height, data } = PNG.sync.read(bytes);
  return { width, height, data: new Uint8ClampedArray(data) };
}

/** Paints the two shapes that our drawings consist of; any other shape is an error. */
export function readSvg(svg: string): Picture & { readonly size: number } {
  const [, size = '', side = '', ground, color = '', bars = ''] =
    /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="(\d+)" height="\1" viewBox="0 0 (\d+) \2" shape-rendering="crispEdges">(?:<rect width="\2" height="\2" fill="(#\w{6})"\/>)?<path fill="(#\w{6})" d="((?:M\d+ \d+h\d+v1h-\d+z)+)"\/><\/svg>$/.exec(
      svg,
    ) ?? [];
  const width = Number(side);
  if (!(width > 0)) throw new Error(`unexpected SVG: ${svg.slice(0, 300)}`);
  const data = new Uint8ClampedArray(width * width * 4);
  const paint = (x: number, y: number, fill: string) =>
    data.set([...Buffer.from(fill.slice(1), 'hex'), 255], (y * width + x) * 4);
  if (ground !== undefined)
    for (let place = 0; place < width * width; place++)
      paint(place % width, Math.floor(place / width), ground);
  for (const [, x, y, length, back] of bars.matchAll(/M(\d+) (\d+)h(\d+)v1h-(\d+)z/g)) {
    if (length !== back) throw new Error(`unclosed bar at ${x} ${y}`);
    for (let step = 0; step < Number(length); step++) paint(Number(x) + step, Number(y), color);
  }
  return { size: Number(size), width, height: width, data };
}

function onWhite({ width, height, data }: Picture): Picture {
  const seen = data.map((value, place) => {
    const opacity = (data[place - (place % 4) + 3] ?? 0) / 255;
    return place % 4 === 3 ? 255 : value * opacity + 255 * (1 - opacity);
  });
  return { width, height, data: seen };
}

function enlarge({ width, height, data }: Picture, times: number): Picture {
  const enlarged = new Uint8ClampedArray(width * height * 4 * times * times);
  for (let y = 0; y < height * times; y++)
    for (let x = 0; x < width * times; x++) {
      const from = (Math.floor(y / times) * width + Math.floor(x / times)) * 4;
      enlarged.set(data.subarray(from, from + 4), (y * width * times + x) * 4);
    }
  return { width: width * times, height: height * times, data: enlarged };
}
