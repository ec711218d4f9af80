/**
 * The elements of a banner, in a shadow root that the page’s styles do not reach. Every style is set from script, one by
 * one, which no content security policy refuses.
 */
import { matches } from './device.ts';
import { type BannerTexts, RIGHT_TO_LEFT } from './texts.ts';

export interface BannerLook {
  /** A bar at the bottom (default) or top, a floating pill, or in the flow of `element`, which should keep its room free. */
  readonly position?: 'bottom' | 'top' | 'pill' | 'inline';
  /** Address of a square picture. The page loads it. */
  readonly icon?: string;
  /** Of the button, as `#rrggbb`; its text is black or white, whichever is easier to read. */
  readonly color?: string;
  /** Default: as the person’s system has it. */
  readonly theme?: 'light' | 'dark';
  /** Layer of a banner over the page: 999 by default, below most dialogs and cookie bars. */
  readonly zIndex?: number;
}

interface Drawing {
  readonly host: HTMLElement;
  readonly link: HTMLAnchorElement;
  readonly close: HTMLButtonElement;
  paint(): void;
}

export const DARK_SCHEME = '(prefers-color-scheme:dark)';
/** Background, text, quieter text, border, button. */
const LIGHT = ['#fff', '#12181a', '#4b5a5f', '#cfd8da', '#006882'];
const DARK = ['#1b2327', '#e9eeef', '#a9b7bb', '#3a474c', '#62c4dd'];

const OVER = 'position:fixed;left:0;right:0;';
const [TOP, RIGHT, BOTTOM, LEFT] = ['top', 'right', 'bottom', 'left'].map(
  (side) => `max(10px,env(safe-area-inset-${side}))`,
);
const PLACES = {
  bottom: `${OVER}bottom:0;border-width:1px 0 0;padding:8px ${RIGHT} ${BOTTOM} ${LEFT}`,
  top: `${OVER}top:0;border-width:0 0 1px;padding:${TOP} ${RIGHT} 8px ${LEFT}`,
  pill: `${OVER}bottom:${BOTTOM};width:fit-content;max-width:calc(100% - 24px);margin:auto;padding:6px 8px;border-radius:32px`,
  inline: 'padding:8px 10px',
};

export function drawBanner({
  position = 'bottom',
  icon,
  color = '',
  theme,
  zIndex = 999,
  title,
  text = '',
  button = 'Open',
  close: closeName = 'Close',
  language,
}: BannerLook & BannerTexts & { readonly language: string }): Drawing {
  // Letters grow with those of the reader, and do not shrink with those of the page.
  const host = make(
    'div',
    `all:initial;font:max(15px,.9375rem)/1.35 system-ui,sans-serif;box-sizing:border-box;display:flex;align-items:center;gap:4px;border:1px solid;max-height:60vh;overflow:auto;z-index:${zIndex};${PLACES[position]}`,
  );
  host.setAttribute('role', 'region');
  host.setAttribute('aria-label', title);
  host.lang = language;
  // Without a language, that of the page.
  host.dir = RIGHT_TO_LEFT.test(language) ? 'rtl' : language && 'ltr';
  const link = make(
    'a',
    'flex:1;display:flex;flex-wrap:wrap;align-items:center;gap:6px 12px;min-width:0;overflow-wrap:anywhere;color:inherit;text-decoration:none;outline-offset:-1px;border-radius:24px',
  );
  const words = make('span', 'flex:1 1 8em');
  const more = make('span', 'display:block;font-size:.87em', text);
  words.append(make('span', 'display:block;font-weight:600', title), more);
  const action = make(
    'span',
    'font-weight:600;padding:10px 17px;border:1px solid transparent;border-radius:24px',
    button,
  );
  if (icon) {
    const image = make('img', 'width:44px;height:44px;border-radius:10px;object-fit:cover');
    image.alt = '';
    image.src = icon;
    image.onerror = () => image.remove();
    link.append(image);
  }
  link.append(words, action);
  const close = make(
    'button',
    'flex:none;min-width:44px;min-height:44px;padding:0;border:0;background:none;color:inherit;font:1.47em/1 system-ui;outline-offset:-3px',
    '×',
  );
  close.type = 'button';
  close.setAttribute('aria-label', closeName);
  host.attachShadow({ mode: 'open' }).append(link, close);
  const paint = () => {
    const isDark = theme ? theme === 'dark' : matches(DARK_SCHEME);
    const [back, ink, soft, line, usual = ''] = isDark ? DARK : LIGHT;
    const chosen = /^#[\da-f]{6}$/i.test(color) ? color : usual;
    setStyle(host, `background:${back};color:${ink};border-color:${line}`);
    setStyle(more, `color:${soft}`);
    setStyle(action, `background:${chosen};color:${readableOn(chosen)}`);
  };
  paint();
  return { host, link, close, paint };
}

export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  style: string,
  text = '',
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  setStyle(element, style);
  element.textContent = text;
  return element;
}

function setStyle({ style }: HTMLElement, rules: string): void {
  for (const rule of rules.split(';')) {
    const [name = '', value = ''] = rule.split(':');
    style.setProperty(name, value);
  }
}

/** @param color `#rrggbb`. The contrast is at least 4.5, as WCAG 2 asks. */
export function readableOn(color: string): string {
  const light = [0.2126, 0.7152, 0.0722].reduce(
    (sum, part, index) =>
      sum + part * (Number(`0x${color.slice(index * 2 + 1, index * 2 + 3)}`) / 255) ** 2.2,
    0,
  );
  return light > 0.18 ? '#000' : '#fff';
}
