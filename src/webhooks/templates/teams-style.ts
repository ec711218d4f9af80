/** The styles of a Container; Adaptive Cards know no hex colours. */
type ContainerStyle = 'emphasis' | 'attention' | 'warning' | 'good' | 'accent';

/** Where a style's hues end, going round from red. */
const HUES: readonly (readonly [endDegrees: number, style: ContainerStyle])[] = [
  [20, 'attention'],
  [70, 'warning'],
  [180, 'good'],
  [300, 'accent'],
  [360, 'attention'],
];
/** Below this distance of the strongest from the weakest channel a colour looks grey. */
const MIN_CHROMA = 48;

/** The style whose colour is nearest in hue; greys are `emphasis`. */
export function nearestStyle(color: string): ContainerStyle {
  const [red = 0, green = 0, blue = 0] = (color.match(/[0-9a-f]{2}/gi) ?? []).map((hex) =>
    Number.parseInt(hex, 16),
  );
  const chroma = Math.max(red, green, blue) - Math.min(red, green, blue);
  if (chroma < MIN_CHROMA) return 'emphasis';
  const hue = hueOf(red, green, blue);
  return HUES.find(([endDegrees]) => hue < endDegrees)?.[1] ?? 'emphasis';
}

/** Degrees round the colour circle: red is 0, green 120, blue 240. */
function hueOf(red: number, green: number, blue: number): number {
  const degrees = (Math.atan2(Math.sqrt(3) * (green - blue), 2 * red - green - blue) * 180) / Math.PI;
  return (degrees + 360) % 360;
}
