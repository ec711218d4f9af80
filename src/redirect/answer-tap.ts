import type { HostDirectory } from '../apps/index.ts';
import type { ClickLog } from '../click-log/index.ts';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { requestRouted } from '../lib/channels.ts';
import { monotonicMs } from '../lib/clock.ts';
import type { Countries } from '../lib/countries.ts';
import { isExpired, type LinkDirectory, type LongLinks } from '../links/index.ts';
import { toAppError } from '../server/error-response.ts';
import { requestDurations } from '../server/metrics.ts';
import { chooseAnswer, chooseAnswerOfExpired } from './choose-answer.ts';
import { findTarget } from './find-target.ts';
import { landingPage } from './landing/landing-page.ts';
import { linkByPlatform } from './link-by-platform.ts';
import { previewPage } from './pages/preview-page.ts';
import { queryOf, recordClick } from './record-click.ts';
import { PATH_ROUTE, TAP_ROUTE, type Tap } from './routes.ts';
import { sendError, sendPage, sendRedirect } from './send-answer.ts';
import { classifyVisitor } from './visitors/index.ts';

/** Dependencies of taps. */
interface TapDeps extends Pick<Foundation, 'clock' | 'ids' | 'secrets' | 'log' | 'metrics'> {
  readonly countries: Countries;
  readonly linkDirectory: LinkDirectory;
  readonly hostDirectory: HostDirectory;
  readonly longLinks: LongLinks;
  readonly clickLog: ClickLog;
}

/** Handles taps on Node's request and response: resolves the link, records the click, sends the answer. */
export function answerTaps(deps: TapDeps): (tap: Tap) => void {
  const durations = requestDurations(deps);
  return async (tap) => {
    const { request, response } = tap;
    const route = routeOf(tap);
    const startedMs = monotonicMs();
    if (requestRouted.hasSubscribers) requestRouted.publish({ request, route });
    try {
      await answerTap(deps, tap);
    } catch (error) {
      handleError(deps, tap, error);
    }
    const labels = { method: request.method ?? '', route, status: response.statusCode };
    durations.of(labels).observe((monotonicMs() - startedMs) / 1_000);
  };
}

/** @throws AppError `link.not_found`, `link.expired`, `database.unavailable`. */
async function answerTap(deps: TapDeps, tap: Tap): Promise<void> {
  const { request, ipAddress: address } = tap;
  const { method = '', url = '', headers } = request;
  const target = await findTarget(deps, tap);
  if (target.link === null) {
    sendRedirect(tap, target.location);
    return;
  }
  const visitor = classifyVisitor(method, headers);
  const { rest, long } = target;
  const id = deps.ids.next();
  const atMs = deps.clock.nowMs();
  const country = deps.countries.of(address);
  const query = long?.query ?? queryOf(url);
  const linkOn = linkByPlatform(target.link, headers, { id, atMs, country, query, rest });
  const link = linkOn(visitor.platform);
  if (isExpired(link, atMs)) {
    const answer = chooseAnswerOfExpired(link);
    if (answer.kind === 'gone') throw new AppError('link.expired');
    sendRedirect(tap, answer.location);
    return;
  }
  const click = {
    id,
    clickedAtMs: atMs,
    visitor,
    address,
    country,
    headers,
    link: long === undefined ? link : { ...link, rest: long.stored.rest ?? '' },
    query: long === undefined ? query : long.stored.query,
  };
  const clickId = (await recordClick(deps, click)) ? id : null;
  const answer = chooseAnswer(link, { visitor, clickId, accept: headers.accept, linkOn });
  if (answer.kind === 'redirect') sendRedirect(tap, answer.location);
  else if (answer.kind === 'preview')
    sendPage(tap, 200, previewPage(link, { platform: visitor.platform, clickId, linkOn }));
  else {
    const visit = { visitor, clickId, ...answer, linkOn, url, acceptLanguage: headers['accept-language'] };
    sendPage(tap, 200, landingPage(deps, link, visit));
  }
}

function handleError({ log }: Pick<Foundation, 'log'>, tap: Tap, thrown: unknown): void {
  const error = toAppError(thrown);
  if (error.status >= 500)
    log.error({ err: thrown, requestId: tap.requestId, route: routeOf(tap) }, 'Request failed');
  if (tap.response.headersSent) tap.response.destroy();
  else sendError(tap, error);
}

function routeOf({ hostOwner }: Tap): string {
  return hostOwner === null ? TAP_ROUTE : PATH_ROUTE;
}
