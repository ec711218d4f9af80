/** Automated clients, recognised by user agent. The first matching pattern wins. */
import { isbot } from 'isbot';
import type { VisitorKind } from './visitor.ts';

/** Fetch Open Graph tags for a chat, a post or a document. */
const PREVIEWERS = {
  // Apple's Messages sends the names of two other previewers.
  imessage: /facebot twitterbot/i,
  // These two start with `facebookexternalhit`.
  'kakaotalk-scrap': /kakaotalk-scrap/i,
  'line-poker': /line-poker/i,
  facebookexternalhit: /facebookexternalhit|facebot/i,
  // Signal sends WhatsApp's name with a shorter version. WhatsApp's in-app browser does not start with the name.
  signal: /^whatsapp\/2$/i,
  whatsapp: /^whatsapp\//i,
  bingpreview: /bingpreview/i,
  bluesky: /bluesky cardyb/i,
  discordbot: /discordbot/i,
  embedly: /embedly/i,
  fediverse: /mastodon\/|pleroma|akkoma|misskey|summalybot|friendica|lemmy\//i,
  iframely: /iframely/i,
  linkedinbot: /linkedinbot/i,
  matrix: /^synapse\b/i,
  microsoftpreview: /microsoftpreview/i,
  // Office requests a link before it opens the browser.
  'ms-office': /ms-office|^microsoft office/i,
  pinterestbot: /pinterestbot|^pinterest\//i,
  redditbot: /redditbot/i,
  // Skype and Teams.
  skypeuripreview: /skypeuripreview|^msteams/i,
  slackbot: /slackbot|slack-imgproxy/i,
  snapchat: /snap url preview|^snapchat\//i,
  telegrambot: /telegrambot/i,
  twitterbot: /twitterbot/i,
  // Viber's in-app browser does not start with the name.
  viber: /^viber\b/i,
  vkshare: /vkshare/i,
  'link-preview': /(?:url|link)[ -]?(?:preview|expand|unfurl)|googlemessages/i,
} as const;

/** HTTP libraries and command-line tools. `isbot` reports some of them as crawlers. */
const TOOLS = {
  curl: /^curl\b/i,
  wget: /^wget\b/i,
  'http-client': /^(?:httpie|xh\b|postman|insomnia|bruno|hoppscotch)|powershell\//i,
  'http-library':
    /^(?:python|aiohttp|httpx|go-http-client|go-resty|java\b|okhttp|ktor|apache-httpclient|dalvik|axios|node(?:js|\b)|undici|got\b|deno\b|bun\b|ruby\b|faraday|http\.rb|php\b|guzzle|libwww|lwp|perl\b|dart\b|reqwest|hyper\b|restsharp)/i,
  'load-test': /^(?:k6\b|apachebench|wrk|autocannon|hey\/|vegeta|apache-jmeter)/i,
  // The default of apps on Apple's systems.
  cfnetwork: /cfnetwork\//i,
} as const;

/** Search engines, AI crawlers, monitors and scanners. */
const CRAWLERS = {
  ahrefsbot: /ahrefs/i,
  amazonbot: /amazonbot|amzn-searchbot|amzn-user/i,
  // Its user agent also claims to be Safari on an iPhone or a Mac.
  applebot: /applebot/i,
  baiduspider: /baiduspider/i,
  bingbot: /bingbot|adidxbot|msnbot/i,
  bytespider: /bytespider|tiktokspider/i,
  ccbot: /\bccbot/i,
  claude: /claudebot|claude-user|claude-searchbot|claude-web|anthropic-ai/i,
  duckduckbot: /duckduckbot|duckassistbot/i,
  google:
    /googlebot|google-inspectiontool|googleother|adsbot-google|mediapartners-google|apis-google|feedfetcher-google|google-read-aloud|storebot-google|google-safety|googleimageproxy|google-cloudvertexbot|google web preview/i,
  meta: /meta-external|meta-webindexer|facebookcatalog/i,
  openai: /gptbot|chatgpt-user|oai-searchbot/i,
  perplexity: /perplexity-?(?:bot|user)/i,
  petalbot: /petalbot/i,
  semrushbot: /semrush/i,
  yandexbot: /yandex(?:bot|mobilebot|images|metrika|accessibilitybot|renderresourcesbot)/i,
  'headless-browser': /headlesschrome|phantomjs|puppeteer|playwright|selenium|cypress\//i,
  monitor:
    /uptime|pingdom|statuscake|site24x7|datadog|newrelic|checkly|healthcheck|kube-probe|googlehc|gtmetrix|lighthouse|pagespeed/i,
  scanner: /censysinspect|zgrab|nuclei|masscan|nmap|nikto|sqlmap|expanse|leakix|internet-?measurement/i,
} as const;

type MachineKind = Extract<VisitorKind, 'preview' | 'tool' | 'crawler'>;
/** `none`: no user agent; `crawler`: recognised by `isbot` alone. */
export type MachineName =
  | keyof typeof PREVIEWERS
  | keyof typeof TOOLS
  | keyof typeof CRAWLERS
  | 'none'
  | 'crawler';

interface Machine {
  readonly kind: MachineKind;
  readonly name: MachineName;
}

const NONE: Machine = { kind: 'tool', name: 'none' };
const CRAWLER: Machine = { kind: 'crawler', name: 'crawler' };
const PATTERNS = [...toList('preview', PREVIEWERS), ...toList('tool', TOOLS), ...toList('crawler', CRAWLERS)];

/** All machines, in matching order. */
export const MACHINES: readonly Machine[] = [NONE, ...PATTERNS.map(({ machine }) => machine), CRAWLER];

/** @returns null if no pattern matches: possibly a browser. */
export function findMachine(userAgent: string): Machine | null {
  if (userAgent === '') return NONE;
  return PATTERNS.find(({ pattern }) => pattern.test(userAgent))?.machine ?? null;
}

/** Words and addresses by which crawlers identify themselves. */
const CRAWLER_WORDS = /bot\b|crawl|spider|https?:/i;

/**
 * Guesses by `isbot`. A web view's user agent ends in the app's name, which may contain words that `isbot` matches (`News`,
 * `Scan`), so there the user agent must also contain one of `CRAWLER_WORDS`.
 */
export function guessCrawler(userAgent: string, isWebView: boolean): Machine | null {
  // CUBOT is a phone brand.
  const text = userAgent.replaceAll(/cubot/gi, '');
  return isbot(text) && (!isWebView || CRAWLER_WORDS.test(text)) ? CRAWLER : null;
}

function toList<Name extends MachineName>(kind: MachineKind, patterns: Readonly<Record<Name, RegExp>>) {
  return Object.entries<RegExp>(patterns).map(([name, pattern]) => ({
    pattern,
    machine: { kind, name: name as Name },
  }));
}
