/** What kind of device shows the page. */

/** Null on computers. Tablets may say that they are computers; the service’s landing page asks the same. */
export function phoneOf(): 'ios' | 'android' | null {
  const { userAgent, maxTouchPoints } = navigator;
  const { userAgentData } = navigator as { userAgentData?: { platform: string } };
  if (/iP(hone|ad|od)/.test(userAgent)) return 'ios';
  if (/Android/.test(userAgent + userAgentData?.platform)) return 'android';
  if (!(maxTouchPoints > 1)) return null;
  if (/Macintosh/.test(userAgent)) return 'ios';
  return /Linux/.test(userAgent) && matches('(pointer: coarse)') ? 'android' : null;
}

/** Safari alone shows Apple’s own banner, and it says nothing else than its version. */
export function hasAppleBanner(): boolean {
  return (
    !!document.querySelector('meta[name=apple-itunes-app]') &&
    /Version\/[\d.]+ (Mobile\/\w+ )?Safari\/[\d.]+$/.test(navigator.userAgent)
  );
}

/** A page on the home screen, or in an app that says so. */
export function isStandalone(): boolean {
  return (navigator as { standalone?: boolean }).standalone || matches('(display-mode: standalone)');
}

export function matches(query: string): boolean {
  return matchMedia(query).matches;
}
