import type { Registry } from 'prom-client';
import type { HostDirectory } from '../apps/index.ts';
import type { ClickLog } from '../click-log/index.ts';
import { type Clock, monotonicMs } from '../lib/clock.ts';
import type { Countries } from '../lib/countries.ts';
import type { Ids } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import type { Secrets } from '../lib/secrets.ts';
import { isExpired, type LinkDirectory, type ResolvedLink } from '../links/index.ts';
import { toAppError } from '../server/error-response.ts';
import { requestDurations } from '../server/metrics.ts';
import { recordClick } from './record-click.ts';
import { sendAnswer, sendExpired, sendNotFound, sendUnavailable } from './send-answer.ts';
import { TAP_ROUTE, type Tap } from './tap.ts';
import { classifyVisitor } from './visitors/index.ts';

/** Dependencies of taps. */
interface TapDeps {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly secrets: Secrets;
  readonly countries: Countries;
  readonly log: Log;
  readonly metrics: Registry;
  readonly linkDirectory: LinkDirectory;
  readonly hostDirectory: HostDirectory;
  readonly clickLog: ClickLog;
}

/** Handles taps on Node's request and response: resolves the link, records the click, sends the answer. */
export function answerTaps(deps: TapDeps): (tap: Tap) => void {
  const durations = requestDurations(deps);
  return async (tap) => {
    const { request, response, address } = tap;
    const { method = '', headers } = request;
    const startedMs = monotonicMs();
    try {
      const found = findLink(deps, tap);
      // Links are usually cached; an `await` would cost every tap another microtask.
      const link = found instanceof Promise ? await found : found;
      if (link === null) sendNotFound(tap);
      else if (isExpired(link, deps.clock.nowMs())) sendExpired(tap, link);
      else {
        const visitor = classifyVisitor(method, headers);
        const { id, onDisk } = recordClick(deps, { link, visitor, address, request });
        sendAnswer(deps, tap, { link, visitor, clickId: (await onDisk) ? id : null });
      }
    } catch (error) {
      handleError(deps, tap, error);
    }
    const labels = { method, route: TAP_ROUTE, status: response.statusCode };
    durations.of(labels).observe((monotonicMs() - startedMs) / 1_000);
  };
}

/** @returns null also for another app's link if the request's host belongs to one app. */
function findLink(
  { hostDirectory, linkDirectory }: { hostDirectory: HostDirectory; linkDirectory: LinkDirectory },
  { request, shortCode }: Tap,
): ResolvedLink | null | Promise<ResolvedLink | null> {
  const hostOwner = hostDirectory.ownerOf(request.headers.host ?? '');
  const link = linkDirectory.resolve(shortCode);
  if (link instanceof Promise || hostOwner instanceof Promise)
    return Promise.all([link, hostOwner]).then(([link, hostOwner]) => onOwnHost(link, hostOwner));
  return onOwnHost(link, hostOwner);
}

function onOwnHost(link: ResolvedLink | null, hostOwner: string | undefined): ResolvedLink | null {
  return hostOwner === undefined || hostOwner === link?.appId ? link : null;
}

function handleError({ log }: { log: Log }, tap: Tap, thrown: unknown): void {
  const error = toAppError(thrown);
  if (error.status >= 500)
    log.error({ err: thrown, requestId: tap.requestId, route: TAP_ROUTE }, 'Request failed');
  if (tap.response.headersSent) tap.response.destroy();
  else sendUnavailable(tap, error);
}
