/** Whether a page shows its banner, and what follows. */
import { hasAppleBanner, isStandalone, matches, phoneOf } from './device.ts';
import { type BannerLook, DARK_SCHEME, drawBanner, make } from './draw-banner.ts';
import { stored } from './stored.ts';
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
  /** Default: the page. */
  readonly element?: Element;
  readonly onShow?: () => void;
  /** `preventDefault` of the event keeps the person on the page. */
  readonly onTap?: (event: MouseEvent) => void;
  readonly onDismiss?: () => void;
}

/** Why a banner is not shown. */
export type Absence = 'no-phone' | 'own-app' | 'standalone' | 'apple-banner' | 'dismissed' | 'hidden';

export interface Banner {
  /** Null if it is shown. */
  readonly absence: Absence | null;
  destroy(): void;
}

const STORED_AS = 'throughline.dismissed ';
const DAY_MS = 24 * 60 * 60 * 1_000;
const USUAL_DAYS = 30;

type Options = BannerRules & BannerLook & TranslatedTexts;

/** One at each place, also for another copy of this module. */
interface Place extends Element {
  throughline?: () => void;
}

/**
 * In place of the one before.
 * @param key of the link: closing its banner closes no other.
 * @param addressOf where a tap leads, asked at the tap: a page may change its address.
 */
export function showBanner(options: Options, key: string, addressOf: () => string): Banner {
  const { documentElement, body } = document;
  // A body may be replaced, or be what fixed elements are fixed to.
  const { element = documentElement } = options;
  if (!element || !body) throw new Error('banner() needs <body> and its element');
  const place: Place = element;
  place.throughline?.();
  const absence = absenceOf(options, key);
  return absence ? absent(absence) : draw(options, place, key, addressOf);
}

export function absent(absence: Absence): Banner {
  return { absence, destroy() {} };
}

function absenceOf(
  { force, appUserAgent, besideApple, dismissDays = USUAL_DAYS }: BannerRules,
  key: string,
): Absence | null {
  if (force) return null;
  if (!phoneOf()) return 'no-phone';
  if (appUserAgent && navigator.userAgent.includes(appUserAgent)) return 'own-app';
  if (isStandalone()) return 'standalone';
  if (!besideApple && hasAppleBanner()) return 'apple-banner';
  return isDismissed(key, dismissDays || 0) ? 'dismissed' : null;
}

function draw(options: Options, element: Place, key: string, addressOf: () => string): Banner {
  const { position, dismissDays = USUAL_DAYS, force } = options;
  const root = document.documentElement;
  const texts = chooseTexts({ ...options, language: options.language || root.lang }, navigator.languages);
  const { host, link, close, paint } = drawBanner({ ...options, ...texts });
  const aim = () => {
    link.href = addressOf();
  };
  aim();
  link.onpointerdown = aim;
  link.onclick = (event) => {
    aim();
    options.onTap?.(event);
  };
  const isTop = position === 'top';
  const isWhole = element === root;
  // The keyboard reaches it where the eye does.
  element.insertBefore(host, isTop ? (isWhole ? document.body : element.firstChild) : null);
  if (!host.offsetHeight && (isWhole || element.getClientRects().length)) {
    host.remove();
    return absent('hidden');
  }
  const dark = matchMedia(DARK_SCHEME);
  dark.onchange = paint;
  const isOver = position !== 'inline';
  let giveBack = isOver && isWhole ? makeRoom(host, isTop) : null;
  if (isOver && !matches('(prefers-reduced-motion:reduce)'))
    host.animate([{ transform: `translateY(${isTop ? '-' : ''}100%)` }, {}], 200);
  const end = () => {
    dark.onchange = null;
    giveBack?.();
    giveBack = null;
    host.remove();
  };
  element.throughline = end;
  if (dismissDays === false) close.remove();
  close.onclick = () => {
    end();
    if (dismissDays && !force) stored(() => localStorage.setItem(STORED_AS + key, String(Date.now())));
    options.onDismiss?.();
  };
  options.onShow?.();
  return { absence: null, destroy: end };
}

/** What has the focus, and the end of the page, can be scrolled past the banner. Nothing moves by it. */
function makeRoom(host: HTMLElement, isTop: boolean): () => void {
  const { style } = document.documentElement;
  const side = isTop ? 'scrollPaddingTop' : 'scrollPaddingBottom';
  const before = style[side];
  const { top, bottom } = host.getBoundingClientRect();
  // More than a ring around the focus takes.
  const room = `${Math.ceil(isTop ? bottom : innerHeight - top) + 8}px`;
  style[side] = room;
  // An element of its own: the page may change its margins.
  const end = make('div', `all:initial;display:block;height:${room}`);
  if (!isTop) host.before(end);
  return () => {
    end.remove();
    if (style[side] === room) style[side] = before;
  };
}

/** The moment is stored: a page may change its days, and the clock may have been wrong. */
function isDismissed(key: string, days: number): boolean {
  const at = stored(() => localStorage.getItem(STORED_AS + key));
  return !!at && Math.abs(Date.now() - Number(at)) < days * DAY_MS;
}
