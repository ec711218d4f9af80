/** Automated clients, recognised by user agent. The first matching pattern wins. */
import { isbot } from 'isbot';
import type { VisitorKind } from './visitor.ts';

/** Fetch Open Graph tags for a chat, a post or a document. */
const PREVIEWERS = {
  // Apple's Messages sends the names of two other previewers.
  imessage: /facebot twitterbot/i,
  // The next two start with `facebookexternalhit`.
  'kakaotalk-scrap': /kakaotalk-scrap/i,
  'line-poker': /line-poker/i,
  facebookexternalhit: /facebookexternalhit|facebot/i,
  // Meta's newer names; some of these also feed its search and AI.
  meta: /meta-external|meta-webindexer/i,
  // Signal sends WhatsApp's name with a shorter version. WhatsApp's in-app browser does not start with the name.
  signal: /^whatsapp\/2$/i,
  whatsapp: /^whatsapp(?:\/|$)/i,
  bingpreview: /bingpreview/i,
  bluesky: /bluesky cardyb/i,
  discordbot: /discordbot/i,
  embedly: /embedly/i,
  // Mail and other products of Google show pictures and summaries by these.
  'google-preview': /google web preview|googleimageproxy/i,
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
  steam: /steamchaturllookup/i,
  telegrambot: /telegrambot/i,
  tiktok: /tiktokspider/i,
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
    /^(?:python|aiohttp|httpx|go-http-client|go-resty|java\b|okhttp|ktor|apache-httpclient|dalvik|axios|node(?:js|\b)|undici|got\b|deno\b|bun\b|ruby\b|faraday|http\.rb|php\b|guzzle|libwww|lwp|perl\b|dart\b|reqwest|hyper\b|restsharp|ahc\/|jersey\/|jetty\/|colly\b|mechanize|scrapy|newspaper\/|trafilatura|http_get|httpunit|pcore-http)|libwww-perl|anyevent-http|(?:async|jakarta commons-)?http-?client\//i,
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
  bytespider: /bytespider/i,
  ccbot: /\bccbot/i,
  claude: /claudebot|claude-user|claude-searchbot|claude-web|anthropic-ai/i,
  duckduckbot: /duckduckbot|duckassistbot/i,
  google:
    /googlebot|googleother|googleproducer|google favicon|google-xrawler|-google\b|\bgoogle-(?!http|earth)[a-z]/i,
  facebookcatalog: /facebookcatalog/i,
  openai: /gptbot|chatgpt-user|oai-searchbot/i,
  perplexity: /perplexity-?(?:bot|user)/i,
  petalbot: /petalbot|aspiegelbot/i,
  // Search engines that the other entries do not name.
  search:
    /slurp|sogou (?:web|inst|head|pic|news)|sogou-|naverbot|yeti\/|daum(?:oa|\/)|seznam|qwant(?:bot|ify)|exabot|mojeekbot|360spider|yisouspider|toutiaospider|sosospider|coccoc(?:bot|-)|mail\.ru_bot|bravebot|kagibot|swisscows|marginalia|teoma|gigabot|yacybot|nutch|y!j|ichiro|orangebot|istellabot|cliqzbot|seekport|stractbot|voilabot|wotbox|blekkobot|ia_archiver|archive\.org_bot/i,
  semrushbot: /semrush/i,
  yandexbot: /yandex(?:bot|mobilebot|images|metrika|accessibilitybot|renderresourcesbot|\.com\/bots)/i,
  'headless-browser': /headlesschrome|phantomjs|puppeteer|playwright|selenium|cypress\//i,
  monitor:
    /uptime|pingdom|statuscake|site24x7|datadog|newrelic|checkly|healthcheck|kube-probe|googlehc|gtmetrix|lighthouse|page ?speed|hotjar|nitro-optimizer|ptst\/|ruxitsynthetic|syntheticsagent|cloudflareobservatory|adbeat/i,
  scanner: /censysinspect|zgrab|nuclei|masscan|nmap|nikto|sqlmap|expanse|leakix|internet-?measurement/i,
} as const;

type MachineKind = Extract<VisitorKind, 'preview' | 'tool' | 'crawler'>;
/** `none`: no user agent; `crawler` and `unknown-bot`: recognised by `isbot` alone. */
export type MachineName =
  | keyof typeof PREVIEWERS
  | keyof typeof TOOLS
  | keyof typeof CRAWLERS
  | 'none'
  | 'crawler'
  | 'unknown-bot';

interface Machine {
  readonly kind: MachineKind;
  readonly name: MachineName;
}

const NONE: Machine = { kind: 'tool', name: 'none' };
const CRAWLER: Machine = { kind: 'crawler', name: 'crawler' };
/** An unknown bot that asks for a page may draw a card from it, and a search engine is told not to keep it. */
export const UNKNOWN_BOT: Machine = { kind: 'preview', name: 'unknown-bot' };
const PATTERNS = [...toList('preview', PREVIEWERS), ...toList('tool', TOOLS), ...toList('crawler', CRAWLERS)];

/** All machines, in matching order. */
export const MACHINES: readonly Machine[] = [
  NONE,
  ...PATTERNS.map(({ machine }) => machine),
  CRAWLER,
  UNKNOWN_BOT,
];

/** @returns null if no pattern matches: possibly a browser. */
export function findMachine(userAgent: string): Machine | null {
  if (userAgent === '') return NONE;
  return PATTERNS.find(({ pattern }) => pattern.test(userAgent))?.machine ?? null;
}

/** Words and addresses by which crawlers identify themselves. */
const CRAWLER_WORDS = /bot\b|crawl|spider|https?:/i;
/** Engines of phones' browsers. */
const ENGINE = /AppleWebKit\/|Gecko\/|Presto\/|\bU[23]\//;

/**
 * Guesses by `isbot`. Names of phones' browsers and apps contain words that `isbot` matches (`News`, `Scan`, `SogouMSE`), so
 * there the user agent must also contain one of `CRAWLER_WORDS`.
 */
export function guessCrawler(userAgent: string, isPhone: boolean): Machine | null {
  if (isPhone && ENGINE.test(userAgent) && !CRAWLER_WORDS.test(userAgent)) return null;
  return isbot(userAgent) ? CRAWLER : null;
}

function toList<Name extends MachineName>(kind: MachineKind, patterns: Readonly<Record<Name, RegExp>>) {
  return Object.entries<RegExp>(patterns).map(([name, pattern]) => ({
    pattern,
    machine: { kind, name: name as Name },
  }));
}
