import type { Fingerprint } from '@throughline/core';

/** What the landing page tells of the same browser. */
export function readDevice(): Fingerprint {
  const { userAgent, language } = navigator;
  const density = window.devicePixelRatio;
  return {
    // The API knows two; a computer counts as the one whose installs no store reports.
    platform: /android/i.test(userAgent) ? 'ANDROID' : 'IOS',
    userAgent,
    screenWidth: Math.round(screen.width * density),
    screenHeight: Math.round(screen.height * density),
    screenDensity: density,
    locale: language,
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
}
