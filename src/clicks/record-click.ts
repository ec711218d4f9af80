import type { IncomingHttpHeaders } from 'node:http';
import type { PageReport } from '../devices/index.ts';
import type { ResolvedLink } from '../links/index.ts';
import { isoTime } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import { toFlag } from '../platform/db/index.ts';
import { firstBytes } from '../platform/text.ts';
import type { ClickLog } from './click-log.ts';
import { clientHintsIn } from './client-hints.ts';
import type { Visitor } from './visitor.ts';

const MAX_USER_AGENT_BYTES = 1_024;
const MAX_ACCEPT_LANGUAGE_BYTES = 255;

interface NewTap {
  readonly link: ResolvedLink;
  readonly visitor: Visitor;
  /** The visitor's IP address. */
  readonly address: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

/** Records a hit on a link. Gives the id of its click, which there is only where it comes onto the disk. */
export function recordClick(
  ctx: Ctx & { clickLog: ClickLog },
  { link, visitor, address, headers }: NewTap,
): { readonly id: string; readonly onDisk: Promise<boolean> } {
  const { model, platformVersion } = clientHintsIn(headers);
  const id = ctx.ids.next();
  const onDisk = ctx.clickLog.record({
    app_id: link.appId,
    id,
    link_id: link.id,
    campaign_id: link.campaignId,
    sandbox: toFlag(link.sandbox),
    visitor: visitor.kind,
    platform: visitor.platform,
    ip_hash: ctx.secrets.hashAddress(link.appId, address),
    user_agent: stored(headers['user-agent'], MAX_USER_AGENT_BYTES),
    accept_language: stored(headers['accept-language'], MAX_ACCEPT_LANGUAGE_BYTES),
    clicked_at: isoTime(ctx.clock.nowMs()),
    visitor_reason: visitor.reason,
    device_model: model,
    fingerprint: platformVersion === null ? null : JSON.stringify({ platformVersion } satisfies PageReport),
  });
  return { id, onDisk };
}

function stored(header: string | undefined, maxBytes: number): string | null {
  return header === undefined ? null : firstBytes(header, maxBytes);
}
