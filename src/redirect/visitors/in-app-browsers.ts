/** In-app browsers, recognised by user agent. The first matching pattern wins. */
const PATTERNS = {
  // Before Facebook: these three also match its patterns.
  threads: /\bBarcelona \d|\bMetaIAB Threads/,
  instagram: /\bInstagram \d|\bMetaIAB Instagram/,
  messenger: /FBAN\/Messenger|FB_IAB\/(?:Orca|MESSENGER)|FBAN\/Orca|\bMetaIAB Messenger/,
  facebook: /\bFB(?:AN|AV)\/|FB_IAB\/|\bMetaIAB Facebook/,
  tiktok: /musical_ly|\btrill_|TikTok|BytedanceWebview/,
  snapchat: /Snapchat\//,
  x: /Twitter for i|TwitterAndroid/,
  linkedin: /LinkedInApp/,
  pinterest: /\bPinterest\/|\[Pinterest/,
  reddit: /\bReddit\//,
  telegram: /\bTelegram-(?:Android|iOS)/,
  whatsapp: /\bWhatsApp\//,
  wechat: /\bMicroMessenger\//,
  line: /\bLine\/\d/,
  kakaotalk: /\bKAKAOTALK\b/,
  naver: /\bNAVER\(inapp/,
  qq: /\bQQ\/\d/,
  weibo: /\bWeibo\b|__weibo__/i,
  zalo: /\bZalo /,
  viber: /\bViber\b/,
  baidu: /\bbaiduboxapp\//,
  google: /\bGSA\//,
} as const;

/** `webview`: an app that is not in the list. */
export type InAppBrowser = keyof typeof PATTERNS | 'webview';

const ENTRIES = Object.entries(PATTERNS) as [keyof typeof PATTERNS, RegExp][];
/** Full browsers that are built on the system's web view. */
const BROWSER = /\b(?:\w*Browser|OPR|OPT|DuckDuckGo|Ddg|EdgA|Focus|Klar|Puffin|Silk)\//;
/** Some of Meta's apps write commas and name no app. */
const ANDROID_WEBVIEW = /; wv\)|\bMetaIAB\b/;
const APPLE_DEVICE = /\b(?:iPhone|iPad|iPod)\b/;

/** @returns null for a full browser. */
export function findInAppBrowser(userAgent: string): InAppBrowser | null {
  const known = ENTRIES.find(([, pattern]) => pattern.test(userAgent));
  if (known !== undefined) return known[0];
  const isWebView = ANDROID_WEBVIEW.test(userAgent) || isAppleWebView(userAgent);
  return isWebView && !BROWSER.test(userAgent) ? 'webview' : null;
}

/** On iOS, browsers send `Safari/` after the engine; web views do not. */
function isAppleWebView(userAgent: string): boolean {
  const engine = userAgent.lastIndexOf('AppleWebKit/');
  return (
    engine !== -1 && !userAgent.includes('Safari/', engine) && APPLE_DEVICE.test(userAgent.slice(0, engine))
  );
}
