/** Whether a page shows its banner, and what follows. */
import { hasAppleBanner, isStandalone, matches, phoneOf } from './device.ts';
import { type BannerLook, DARK_SCHEME, drawBanner } from './draw-banner.ts';
import { chooseTexts, type TranslatedTexts } from './texts.ts';

export interface BannerRules {
  /** A closed banner comes back after so many days: 30 by default; 0 for the next page, `false` to have no such button. */
  readonly dismissDays?: number | false;
  /** Part of the user agent of the app’s own web view, where the banner stays away. */
  readonly appUserAgent?: string;
  /** Shows it where Safari shows Apple’s own banner, too. */
  readonly besideApple?: boolean;
  /** Shows it on every device, also after it was closed: for a preview. */
  readonly force?: boolean;
  /** Default: the page’s body. */
  readonly element?: Element;
  readonly onShow?: () => void;
  /** `preventDefault` of the event keeps the person on the page. */
  readonly onTap?: (event: MouseEvent) => void;
  readonly onDismiss?: () => void;
}

/** Why a banner is not shown. */
export type Absence = 'no-phone' | 'own-app' | 'standalone' | 'apple-banner' | 'dismissed';

export interface Banner {
  /** Null if it is shown. */
  readonly absence: Absence | null;
  destroy(): void;
}

const STORED_AS = 'throughline.dismissed';
const DAY_MS = 24 * 60 * 60 * 1_000;
const USUAL_DAYS = 30;

/** @param addressOf where a tap leads, asked at the tap: a page may change its address. */
export function showBanner(
  options: BannerRules & BannerLook & TranslatedTexts,
  addressOf: () => string,
): Banner {
  const absence = absenceOf(options);
  return { absence, destroy: absence ? () => {} : draw(options, addressOf) };
}

function absenceOf({ force, appUserAgent, besideApple, dismissDays }: BannerRules): Absence | null {
  if (force) return null;
  if (!phoneOf()) return 'no-phone';
  if (appUserAgent && navigator.userAgent.includes(appUserAgent)) return 'own-app';
  if (isStandalone()) return 'standalone';
  if (!besideApple && hasAppleBanner()) return 'apple-banner';
  return dismissDays !== false && isDismissed(dismissDays) ? 'dismissed' : null;
}

function draw(options: BannerRules & BannerLook & TranslatedTexts, addressOf: () => string): () => void {
  const { element = document.body, position, dismissDays = USUAL_DAYS, force } = options;
  const language = options.language || document.documentElement.lang;
  const texts = chooseTexts({ ...options, language }, navigator.languages);
  const { host, link, close, paint } = drawBanner({ ...options, ...texts });
  link.href = addressOf();
  link.onclick = (event) => {
    link.href = addressOf();
    options.onTap?.(event);
  };
  const dark = matchMedia(DARK_SCHEME);
  dark.addEventListener('change', paint);
  // The keyboard reaches it where the eye does.
  element[position === 'top' ? 'prepend' : 'append'](host);
  const isOver = position !== 'inline';
  const giveBack = isOver && element === document.body ? makeRoom(host, position) : null;
  if (isOver && !matches('(prefers-reduced-motion:reduce)'))
    host.animate([{ transform: `translateY(${position === 'top' ? '-' : ''}100%)` }, {}], 200);
  const end = () => {
    dark.removeEventListener('change', paint);
    giveBack?.();
    host.remove();
  };
  if (dismissDays === false) close.remove();
  close.onclick = () => {
    end();
    if (dismissDays && !force) dismiss(dismissDays);
    options.onDismiss?.();
  };
  options.onShow?.();
  return end;
}

/** What has the focus, and the end of the page, can be scrolled past the banner. Nothing moves by it. */
function makeRoom(host: HTMLElement, position: BannerLook['position']): () => void {
  const { documentElement, body } = document;
  const isTop = position === 'top';
  const side = isTop ? 'scrollPaddingTop' : 'scrollPaddingBottom';
  const before = [documentElement.style[side], body.style.marginBottom] as const;
  const { top, bottom } = host.getBoundingClientRect();
  // More than a ring around the focus takes.
  const room = `${(isTop ? bottom : innerHeight - top) + 8}px`;
  documentElement.style[side] = room;
  if (!isTop) body.style.marginBottom = `calc(${getComputedStyle(body).marginBottom} + ${room})`;
  return () => {
    [documentElement.style[side], body.style.marginBottom] = before;
  };
}

/** The clock may have been wrong when it was closed. */
function isDismissed(days = USUAL_DAYS): boolean {
  try {
    const leftMs = Number(localStorage.getItem(STORED_AS)) - Date.now();
    return leftMs > 0 && leftMs <= days * DAY_MS;
  } catch {
    return false;
  }
}

function dismiss(days: number): void {
  try {
    localStorage.setItem(STORED_AS, String(Date.now() + days * DAY_MS));
  } catch {
    // It comes back on the next page.
  }
}
