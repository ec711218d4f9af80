import type { IncomingHttpHeaders } from 'node:http';
import type { PageReport } from '../devices/index.ts';
import type { ResolvedLink } from '../links/index.ts';
import { isoTime } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import { toFlag } from '../platform/db/index.ts';
import type { ClickLog } from './click-log.ts';
import { clientHintsIn } from './client-hints.ts';
import { MAX_USER_AGENT_CHARACTERS, type Visitor } from './visitor.ts';

const MAX_ACCEPT_LANGUAGE_CHARACTERS = 255;

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
    user_agent: headers['user-agent']?.slice(0, MAX_USER_AGENT_CHARACTERS) ?? null,
    accept_language: headers['accept-language']?.slice(0, MAX_ACCEPT_LANGUAGE_CHARACTERS) ?? null,
    clicked_at: isoTime(ctx.clock.nowMs()),
    visitor_reason: visitor.reason,
    device_model: model,
    fingerprint: platformVersion === null ? null : JSON.stringify({ platformVersion } satisfies PageReport),
  });
  return { id, onDisk };
}
