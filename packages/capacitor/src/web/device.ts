import type { Fingerprint } from '@throughline/core';

/** What the landing page tells of the same browser. */
export function readDevice(platform: Fingerprint['platform']): Fingerprint {
  const { userAgent, language } = navigator;
  const density = window.devicePixelRatio;
  return {
    platform,
    userAgent,
    screenWidth: Math.round(screen.width * density),
    screenHeight: Math.round(screen.height * density),
    screenDensity: density,
    locale: language,
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
}

/** Null on computers. Tablets may say that they are computers; the service's landing page asks the same. */
export function phoneOf(): Fingerprint['platform'] | null {
  const { userAgent, maxTouchPoints } = navigator;
  if (/iP(hone|ad|od)/.test(userAgent)) return 'IOS';
  if (/Android/.test(userAgent)) return 'ANDROID';
  if (!(maxTouchPoints > 1)) return null;
  if (/Macintosh/.test(userAgent)) return 'IOS';
  return /Linux/.test(userAgent) && matchMedia('(pointer: coarse)').matches ? 'ANDROID' : null;
}
