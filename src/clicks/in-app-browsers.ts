/** Browsers inside apps, by what they add to a user agent. The first name that fits is the one. */
const MARKS = {
  // These three carry Facebook's marks, or Instagram's form.
  threads: /\bBarcelona \d/,
  instagram: /\bInstagram \d/,
  messenger: /FBAN\/Messenger|FB_IAB\/(?:Orca|MESSENGER)|FBAN\/Orca/,
  facebook: /\bFB(?:AN|AV)\/|FB_IAB\//,
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
  // The Google app.
  google: /\bGSA\//,
} as const;

/** `webview` is any other app's. */
export type InAppBrowser = keyof typeof MARKS | 'webview';

const MARKED = Object.entries(MARKS) as [keyof typeof MARKS, RegExp][];
/** Some browsers are made of the system's web view. */
const BROWSER = /\b(?:\w*Browser|OPR|OPT|DuckDuckGo|Ddg|EdgA|Focus|Klar|Puffin|Silk)\//;
const ANDROID_WEBVIEW = /; wv\)/;
const APPLE_DEVICE = /\b(?:iPhone|iPad|iPod)\b/;

/** The app whose own browser this is; null for a browser proper. */
export function inAppBrowserIn(userAgent: string): InAppBrowser | null {
  const marked = MARKED.find(([, mark]) => mark.test(userAgent));
  if (marked !== undefined) return marked[0];
  const isWebView = ANDROID_WEBVIEW.test(userAgent) || isAppleWebView(userAgent);
  return isWebView && !BROWSER.test(userAgent) ? 'webview' : null;
}

/** On Apple's phones every browser ends in `Safari/`, and what an app shows does not. */
function isAppleWebView(userAgent: string): boolean {
  const engine = userAgent.lastIndexOf('AppleWebKit/');
  return (
    engine !== -1 && !userAgent.includes('Safari/', engine) && APPLE_DEVICE.test(userAgent.slice(0, engine))
  );
}
