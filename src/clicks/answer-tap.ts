import type { HostDirectory } from '../apps/index.ts';
import { isExpired, type LinkDirectory, type ResolvedLink } from '../links/index.ts';
import { monotonicMs } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import { toAppError } from '../platform/http/faults.ts';
import { requestDurations } from '../platform/http/metrics.ts';
import { onceEach } from '../platform/once.ts';
import type { ClickLog } from './click-log.ts';
import { recordClick } from './record-click.ts';
import { sendAnswer, sendExpired, sendNotFound, sendThrown } from './send-answer.ts';
import { TAP_ROUTE, type Tap } from './tap.ts';
import { classifyVisitor } from './visitor.ts';

type TapCtx = Ctx & { linkDirectory: LinkDirectory; hostDirectory: HostDirectory; clickLog: ClickLog };

/** Resolve, record, answer; on Node's own request and response. */
export function answerTaps(ctx: TapCtx): (tap: Tap) => void {
  const durations = requestDurations(ctx);
  const durationsOfGet = onceEach((status: number) =>
    durations.of({ method: 'GET', route: TAP_ROUTE, status }),
  );
  const durationsOf = (method: string, status: number) =>
    method === 'GET' ? durationsOfGet(status) : durations.of({ method, route: TAP_ROUTE, status });
  return async (tap) => {
    const { request, response, address } = tap;
    const { method = '', headers } = request;
    const startedMs = monotonicMs();
    try {
      const found = findLink(ctx, tap);
      // Nearly always known: to wait for that too would cost every tap a turn of its own.
      const link = found instanceof Promise ? await found : found;
      if (link === null) sendNotFound(tap);
      else if (isExpired(link, ctx.clock.nowMs())) sendExpired(tap, link);
      else {
        const visitor = classifyVisitor(method, headers);
        const { id, onDisk } = recordClick(ctx, { link, visitor, address, headers });
        sendAnswer(ctx, tap, { link, visitor, clickId: (await onDisk) ? id : null });
      }
    } catch (error) {
      answerThrown(ctx, tap, error);
    }
    durationsOf(method, response.statusCode).observe((monotonicMs() - startedMs) / 1_000);
  };
}

/** The link that the visitor's host knows by this code. */
function findLink(
  ctx: TapCtx,
  { request, shortCode }: Tap,
): ResolvedLink | null | Promise<ResolvedLink | null> {
  const hostOwner = ctx.hostDirectory.ownerOf(request.headers.host ?? '');
  const link = ctx.linkDirectory.resolve(shortCode);
  if (link instanceof Promise || hostOwner instanceof Promise)
    return Promise.all([link, hostOwner]).then(([link, hostOwner]) => notElsewhere(link, hostOwner));
  return notElsewhere(link, hostOwner);
}

/** Null too where the visitor came to a host that another app has for itself. */
function notElsewhere(link: ResolvedLink | null, hostOwner: string | undefined): ResolvedLink | null {
  return hostOwner === undefined || hostOwner === link?.appId ? link : null;
}

function answerThrown(ctx: Ctx, tap: Tap, thrown: unknown): void {
  const fault = toAppError(thrown);
  if (fault.status >= 500)
    ctx.log.error({ err: thrown, requestId: tap.requestId, route: TAP_ROUTE }, 'a request failed');
  if (tap.response.headersSent) tap.response.destroy();
  else sendThrown(tap, fault);
}
