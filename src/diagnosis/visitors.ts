import { isExpired, type LinkRule, type ResolvedLink, type RoutedLink } from '../links/index.ts';
import {
  type Answer,
  type AnswerReason,
  chooseAnswer,
  chooseAnswerOfExpired,
  linkByPlatform,
} from '../redirect/index.ts';
import { classifyVisitor } from '../redirect/visitors/index.ts';

/** The response to one kind of visitor. */
export interface VisitorAnswer {
  readonly visitor: VisitorName;
  readonly userAgent: string;
  readonly answer: Answer['kind'];
  readonly status: number;
  /** Of a redirect; null for other responses. */
  readonly location: string | null;
  /** Destination of a page; null for other responses, or without a destination. */
  readonly leadsTo: string | null;
  readonly reason: AnswerReason;
  readonly why: string;
  /** The rule that wins; null if none does. */
  readonly rule: { readonly number: number; readonly name: string | null } | null;
}

/** Of the visitors that the diagnosis and the rehearsal of a move stand for. */
export const USER_AGENTS = {
  iosSafari:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
  androidChrome:
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36',
  // Instagram on Android. On iOS, in-app browsers get the same as Safari.
  inAppBrowser:
    'Mozilla/5.0 (Linux; Android 15; Pixel 9 Build/AP3A.240905.015; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/141.0.7390.43 Mobile Safari/537.36 Instagram 390.0.0.43.81 Android (35/15; 420dpi; 1080x2424; Google/google; Pixel 9; tokay; tokay; en_US; 750122010)',
  desktop:
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
  previewBot: 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
} as const;

type VisitorName = keyof typeof USER_AGENTS;
export const VISITOR_NAMES = Object.keys(USER_AGENTS) as VisitorName[];
export const ANSWERS = ['redirect', 'page', 'preview', 'gone'] as const satisfies Answer['kind'][];

export type VisitorAnswers = Readonly<Record<VisitorName, VisitorAnswer>>;

const STATUS: Readonly<Record<Answer['kind'], number>> = {
  redirect: 302,
  page: 200,
  preview: 200,
  gone: 410,
};

const WHY: Readonly<Record<AnswerReason, string>> = {
  expired:
    'The link has expired: visitors are redirected to its expiredUrl, else to its fallbackUrl, or get an error page without either, or with goneWhenExpired.',
  preview: 'Preview bots get a page with Open Graph tags.',
  nowhere_to_go:
    'There is no destination for this device and no fallbackUrl, so a page lists the stores, if there are any.',
  no_person: 'Programs are redirected according to the platform of their user agent.',
  asks_for_no_html: 'Requests that do not accept HTML are redirected.',
  setting_always: 'landingPage is always.',
  setting_never: 'landingPage is never.',
  click_not_written: 'The click could not be written.',
  no_store: 'There is no store address for this device, so it is redirected to fallbackUrl.',
  may_be_tablet:
    'The browser may be that of a tablet which asks for desktop pages, so a page first looks for a touch screen.',
  in_app_browser: 'In-app browsers often block a redirect to a store, so a page links to it.',
  address_with_click: 'The Google Play address carries the click ID in its referrer, so no page is needed.',
  address_without_click:
    'The store address carries no click ID, so a page first collects signals for the match.',
};

export const REASONS = Object.keys(WHY) as AnswerReason[];

/** Replaces the click ID in reported addresses. */
const CLICK_ID = 'CLICK_ID';

/** Visitors at home, without a known country or language, and without parameters. */
const NOTHING_MORE = { country: null, query: new Map<string, string>(), rest: null };

/**
 * The response to each kind of visitor, by the functions that answer real taps.
 * @param clickId any unused id.
 */
export function simulateVisitors(
  link: ResolvedLink,
  { nowMs, clickId }: { nowMs: number; clickId: string },
): VisitorAnswers {
  const typical = { ...link, rules: link.rules.map(forMost) };
  const answerFor = (visitor: VisitorName): VisitorAnswer => {
    const headers = { 'user-agent': USER_AGENTS[visitor], accept: 'text/html' };
    const linkOn = linkByPlatform(typical, headers, { ...NOTHING_MORE, atMs: nowMs, id: clickId });
    const classified = classifyVisitor('GET', headers);
    const routed = linkOn(classified.platform);
    const answer = isExpired(link, nowMs)
      ? chooseAnswerOfExpired(routed)
      : chooseAnswer(routed, { visitor: classified, clickId, accept: headers.accept, linkOn });
    const { kind, reason } = answer;
    const location = kind === 'redirect' ? answer.location : null;
    const leadsTo = kind === 'page' ? answer.destination : null;
    return {
      visitor,
      userAgent: USER_AGENTS[visitor],
      answer: kind,
      status: STATUS[kind],
      location: location?.replaceAll(clickId, CLICK_ID) ?? null,
      leadsTo: leadsTo?.replaceAll(clickId, CLICK_ID) ?? null,
      reason,
      why: WHY[reason],
      rule: ruleOf(routed),
    };
  };
  return Object.fromEntries(VISITOR_NAMES.map((name) => [name, answerFor(name)])) as VisitorAnswers;
}

/** Where chance decides, so that the diagnosis of a link says the same each time. */
function forMost(rule: LinkRule): LinkRule {
  const { percent } = rule.when;
  return percent === undefined ? rule : { ...rule, when: { ...rule.when, percent: percent < 50 ? 0 : 100 } };
}

function ruleOf({ rule }: RoutedLink): VisitorAnswer['rule'] {
  return rule === undefined ? null : { number: rule.place + 1, name: rule.name };
}
