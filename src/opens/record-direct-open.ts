import {
  type FingerprintInput,
  firstAnswer,
  type NewRecord,
  type Received,
  type RecordingDeps,
  receive,
  type Sender,
  storeRecord,
  untilRecorded,
} from '../attribution/index.ts';
import type { Actor } from '../auth/index.ts';
import type { OpensTable } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { findKnownInstall } from '../installs/index.ts';
import { deepLinkPayload, metadataFor } from '../links/index.ts';
import type { WebhookEvent } from '../webhooks/index.ts';
import { DIRECT, findOpenForRetry, inviterOfOpen, newOpen, storageOf } from './open.ts';
import { findOpenedLink } from './opened-link.ts';
import type { ResolveDeepLinkInput, ResolvedAnswer } from './schemas.ts';

/**
 * Resolves the link that opened the app directly (Universal Link or App Link). Records the open if it has an ID.
 * @throws AppError `request.invalid`, `link.not_found`, `link.expired`; with an ID as `recordOpen`.
 */
export async function resolveDeepLink(
  deps: RecordingDeps,
  {
    actor,
    connectionAddress,
    input,
  }: { actor: Actor; connectionAddress: string; input: ResolveDeepLinkInput },
): Promise<ResolvedAnswer> {
  const { openId, fingerprint } = input;
  if (!openId) return deepLinkPayload(await findOpenedLink(deps, { actor, connectionAddress, input }), false);
  if (!fingerprint)
    throw new AppError('request.invalid', {
      message: 'fingerprint is required with openId. Send at least fingerprint.platform.',
    });
  return await deps.recordings.during(() =>
    record(deps, { actor, connectionAddress, call: { ...input, openId, fingerprint } }),
  );
}

interface DirectOpenCall extends ResolveDeepLinkInput {
  readonly openId: string;
  readonly fingerprint: FingerprintInput;
}

/** The open belongs to the link without a click, so it claims none. */
async function record(
  deps: RecordingDeps,
  { call, ...sender }: Sender & { call: DirectOpenCall },
): Promise<ResolvedAnswer> {
  const { actor } = sender;
  const id = call.openId.toLowerCase();
  const findFirst = async () =>
    firstAnswer<ResolvedAnswer>(
      actor,
      await findOpenForRetry(deps.db, { appId: actor.appId, id, isDirect: true }),
    );
  const first = await findFirst();
  if (first !== null) return first;

  const { fingerprint, debugBuild, deterministicOnly } = call;
  const opening = { fingerprint, debugBuild, deterministicOnly };
  const received = await receive(deps, { ...sender, claimant: null, call: opening });
  return await untilRecorded(received, async (current) => {
    const open = await toOpen(deps, { ...sender, id, call, received: current });
    const outcome = await storeRecord(deps, current, open);
    if (outcome !== 'recorded') return await findFirst();
    deps.counters.opened(DIRECT);
    return open.answer;
  });
}

async function toOpen(
  deps: RecordingDeps,
  {
    actor,
    connectionAddress,
    id,
    call,
    received: { request },
  }: Sender & { id: string; call: DirectOpenCall; received: Received },
): Promise<NewRecord<ResolvedAnswer>> {
  const link = await findOpenedLink(deps, { actor, connectionAddress, input: call });
  const install = call.installId ? await findKnownInstall(deps.db, deps, actor, call.installId) : undefined;
  const { shortCode, campaignId } = link;
  const row = await deps.linkDirectory.find(link.appId, link.id);
  const invitedBy = inviterOfOpen(deps, row, { install, app: request.app });
  const metadata = metadataFor(row, invitedBy);
  const told = Object.keys(metadata).length > 0 && { metadata };
  const answer = { ...deepLinkPayload(link, false), openId: id, shortCode, campaignId, ...told };
  const { fingerprint, deterministicOnly } = call;
  const open = newOpen(
    deps,
    { id, request, install, call: { fingerprint, deterministicOnly } },
    {
      attribution_method: DIRECT,
      click_id: null,
      link_id: link.id,
      campaign_id: campaignId,
      country: request.country,
      referrer: null,
      utm: null,
      confidence: null,
      answer: JSON.stringify(answer),
      trace: JSON.stringify({ method: DIRECT }),
    },
  );
  const events = [directOpenEvent(open, { appName: request.app.name, answer, invitedBy })];
  return { id, answer, decision: null, events, ...storageOf(deps, open, { install, invitedBy }) };
}

/** What webhooks are told; the order of the fields is documented. */
function directOpenEvent(
  open: OpensTable,
  { appName, answer, invitedBy }: { appName: string; answer: ResolvedAnswer; invitedBy: string | null },
): WebhookEvent {
  const params = JSON.stringify(answer.deepLinkParams);
  return {
    type: 'open.direct',
    timestamp: open.opened_at,
    isSandbox: open.sandbox === 1,
    recordId: open.id,
    data: {
      openId: open.id,
      installId: open.install_id,
      shortCode: answer.shortCode ?? null,
      campaignId: open.campaign_id,
      deepLinkPath: answer.deepLinkPath,
      deepLinkParams: params === '{}' ? null : params,
      appName,
      platform: open.platform,
      invitedBy,
    },
  };
}
