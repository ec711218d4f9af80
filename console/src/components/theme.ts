/** Light or dark, kept in this browser. `public/theme.js` applies it before the first paint. */
const KEY = 'throughline.theme';

export const THEMES = [
  ['system', 'As the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const;
export type Theme = (typeof THEMES)[number][0];

export function chosenTheme(): Theme {
  return THEMES.find(([each]) => each === localStorage.getItem(KEY))?.[0] ?? 'system';
}

export function chooseTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, theme);
  dispatchEvent(new Event('storage'));
}
