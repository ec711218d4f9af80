import type { IncomingMessage } from 'node:http';
import type { ClickLog } from '../click-log/index.ts';
import { toFlag } from '../db/index.ts';
import type { PageReport } from '../devices/index.ts';
import { type Clock, isoTime } from '../lib/clock.ts';
import type { Countries } from '../lib/countries.ts';
import type { Ids } from '../lib/ids.ts';
import type { Secrets } from '../lib/secrets.ts';
import { truncateUtf8, withoutControls } from '../lib/text.ts';
import type { ResolvedLink } from '../links/index.ts';
import { readSource } from './source.ts';
import type { Visitor } from './visitors/index.ts';
import { readClientHints } from './visitors/index.ts';

const MAX_USER_AGENT_BYTES = 1_024;
const MAX_ACCEPT_LANGUAGE_BYTES = 255;

interface ClassifiedTap {
  readonly link: ResolvedLink;
  readonly visitor: Visitor;
  /** The visitor's IP address. */
  readonly address: string | undefined;
  readonly request: Pick<IncomingMessage, 'url' | 'headers'>;
}

/** Records a tap as a click. If `onDisk` resolves to false, no click with this `id` exists. */
export function recordClick(
  {
    clock,
    ids,
    secrets,
    countries,
    clickLog,
  }: { clock: Clock; ids: Ids; secrets: Secrets; countries: Countries; clickLog: Pick<ClickLog, 'record'> },
  { link, visitor, address, request }: ClassifiedTap,
): { readonly id: string; readonly onDisk: Promise<boolean> } {
  const { headers } = request;
  const { model, platformVersion } = readClientHints(headers);
  const id = ids.next();
  const onDisk = clickLog.record({
    app_id: link.appId,
    id,
    link_id: link.id,
    campaign_id: link.campaignId,
    sandbox: toFlag(link.sandbox),
    visitor: visitor.kind,
    platform: visitor.platform,
    ip_hash: secrets.hashAddress(link.appId, address),
    user_agent: truncate(headers['user-agent'], MAX_USER_AGENT_BYTES),
    accept_language: truncate(headers['accept-language'], MAX_ACCEPT_LANGUAGE_BYTES),
    clicked_at: isoTime(clock.nowMs()),
    visitor_reason: visitor.reason,
    device_model: model,
    fingerprint: platformVersion === null ? null : JSON.stringify({ platformVersion } satisfies PageReport),
    country: countries.of(address),
    ...readSource(request),
    erased: null,
  });
  return { id, onDisk };
}

function truncate(header: string | undefined, maxBytes: number): string | null {
  return header === undefined ? null : truncateUtf8(withoutControls(header), maxBytes);
}
