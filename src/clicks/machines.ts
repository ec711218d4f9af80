/** Programs that follow links, by what they call themselves. The first name that fits is the one. */
import { isbot } from 'isbot';
import type { VisitorKind } from '../platform/db/index.ts';

/** They draw a card for a link in a chat, a post or a document. */
const PREVIEWERS = {
  // Apple's Messages, on the sender's own device, in the words of three others.
  imessage: /facebot twitterbot/i,
  // Both begin with Facebook's name.
  'kakaotalk-scrap': /kakaotalk-scrap/i,
  'line-poker': /line-poker/i,
  facebookexternalhit: /facebookexternalhit|facebot/i,
  // Signal takes WhatsApp's name, without the rest of its version. An in-app browser has the name further behind.
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
  // Office asks for a link before it hands it to the browser.
  'ms-office': /ms-office|^microsoft office/i,
  pinterestbot: /pinterestbot|^pinterest\//i,
  redditbot: /redditbot/i,
  // Skype and Teams.
  skypeuripreview: /skypeuripreview|^msteams/i,
  slackbot: /slackbot|slack-imgproxy/i,
  snapchat: /snap url preview|^snapchat\//i,
  telegrambot: /telegrambot/i,
  twitterbot: /twitterbot/i,
  // An in-app browser has the name further behind.
  viber: /^viber\b/i,
  vkshare: /vkshare/i,
  'link-preview': /(?:url|link)[ -]?(?:preview|expand|unfurl)|googlemessages/i,
} as const;

/** They fetch for a program, or for a person at a terminal. `isbot` takes some of them for crawlers. */
const TOOLS = {
  curl: /^curl\b/i,
  wget: /^wget\b/i,
  'http-client': /^(?:httpie|xh\b|postman|insomnia|bruno|hoppscotch)|powershell\//i,
  'http-library':
    /^(?:python|aiohttp|httpx|go-http-client|go-resty|java\b|okhttp|ktor|apache-httpclient|dalvik|axios|node(?:js|\b)|undici|got\b|deno\b|bun\b|ruby\b|faraday|http\.rb|php\b|guzzle|libwww|lwp|perl\b|dart\b|reqwest|hyper\b|restsharp)/i,
  'load-test': /^(?:k6\b|apachebench|wrk|autocannon|hey\/|vegeta|apache-jmeter)/i,
  // What apps on Apple's systems send unless they say otherwise.
  cfnetwork: /cfnetwork\//i,
} as const;

/** They collect, watch or attack. */
const CRAWLERS = {
  ahrefsbot: /ahrefs/i,
  amazonbot: /amazonbot|amzn-searchbot|amzn-user/i,
  // Also as an iPhone's or a Mac's Safari.
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
/** `none` has no user agent at all; `crawler` is one that only `isbot` knows. */
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
const MARKED = [...marked('preview', PREVIEWERS), ...marked('tool', TOOLS), ...marked('crawler', CRAWLERS)];

/** All there are, in the order in which they are looked for. */
export const MACHINES: readonly Machine[] = [NONE, ...MARKED.map(({ machine }) => machine), CRAWLER];

/** The machine that says who it is; null for what may be a person's browser. */
export function machineIn(userAgent: string): Machine | null {
  // A browser always names itself.
  if (userAgent === '') return NONE;
  return MARKED.find(({ mark }) => mark.test(userAgent))?.machine ?? null;
}

/** Crawlers say what they are, or where to read about them. */
const SAYS_SO = /bot\b|crawl|spider|https?:/i;

/**
 * What no name gave away, by the look of it, which is a guess.
 * @param isWebView an app's own browser ends in the app's name, which may hold any word that crawlers' names hold, such as
 * `News` and `Scan`: there the guess alone does not do.
 */
export function unknownMachineIn(userAgent: string, isWebView: boolean): Machine | null {
  // CUBOT makes phones.
  const named = userAgent.replaceAll(/cubot/gi, '');
  return isbot(named) && (!isWebView || SAYS_SO.test(named)) ? CRAWLER : null;
}

function marked<Name extends MachineName>(kind: MachineKind, marks: Readonly<Record<Name, RegExp>>) {
  return Object.entries<RegExp>(marks).map(([name, mark]) => ({
    mark,
    machine: { kind, name: name as Name },
  }));
}
