import {
  attribute,
  firstAnswer,
  type NewRecord,
  namedPayload,
  outcomeColumns,
  type Received,
  type RecordingDeps,
  receive,
  type Sender,
  storeRecord,
  toAnswer,
  untilRecorded,
} from '../attribution/index.ts';
import type { Actor } from '../auth/index.ts';
import type { OpensTable } from '../db/index.ts';
import { findKnownInstall } from '../installs/index.ts';
import type { LinkRow } from '../links/index.ts';
import type { WebhookEvent } from '../webhooks/index.ts';
import { findOpenForRetry, inviterOfOpen, newOpen, storageOf } from './open.ts';
import type { OpenAnswer, RecordOpenInput } from './schemas.ts';

/**
 * Records a deferred deep-link open. A retry with its ID gets the first answer.
 * @throws AppError `install.erased`; as `firstAnswer` and `receive`.
 */
export async function recordOpen(
  deps: RecordingDeps,
  sending: Sender & { call: RecordOpenInput },
): Promise<OpenAnswer> {
  return await deps.recordings.during(() => record(deps, sending));
}

async function record(
  deps: RecordingDeps,
  { call, ...sender }: Sender & { call: RecordOpenInput },
): Promise<OpenAnswer> {
  const { actor } = sender;
  const findFirst = async (id: string) =>
    firstAnswer<OpenAnswer>(
      actor,
      await findOpenForRetry(deps.db, { appId: actor.appId, id, isDirect: false }),
    );
  const givenId = call.openId?.toLowerCase() ?? null;
  const first = givenId === null ? null : await findFirst(givenId);
  if (first !== null) return first;

  // Leaves out unvalidated fields that only installs have, such as the Play referrer.
  const { fingerprint, clickId, debugBuild, deterministicOnly } = call;
  const opening = { fingerprint, clickId, debugBuild, deterministicOnly };
  const received = await receive(deps, { ...sender, claimant: 'open', call: opening });
  const id = givenId ?? deps.ids.next();
  return await untilRecorded(received, async (current) => {
    const open = await toOpen(deps, { actor, id, call, received: current });
    const outcome = await storeRecord(deps, current, open);
    if (outcome === 'recorded') {
      deps.counters.opened(open.decision?.method ?? 'ORGANIC');
      return open.answer;
    }
    return outcome === 'recorded_before' ? await findFirst(id) : null;
  });
}

async function toOpen(
  deps: RecordingDeps,
  { actor, id, call, received }: { actor: Actor; id: string; call: RecordOpenInput; received: Received },
): Promise<NewRecord<OpenAnswer>> {
  const { request } = received;
  const { evidence, decision, link } = await attribute(deps, received);
  // An open may arrive before its install; it is then stored without one.
  const install = call.installId ? await findKnownInstall(deps.db, deps, actor, call.installId) : undefined;
  const invitedBy = inviterOfOpen(deps, link, { install, app: request.app });
  const credited = toAnswer(decision, link, { installId: install?.id ?? null, invitedBy });
  const named = decision.method === 'CLICK_ID' ? null : await namedPayload(deps.linkDirectory, evidence);
  const answer = { ...credited, ...(named !== null && { deepLinkPayload: named }), openId: id };
  const outcome = outcomeColumns(decision, { answer, country: request.country });
  const open = newOpen(deps, { id, request, install, call }, outcome);
  const events =
    decision.click === null ? [] : [openEvent(open, { appName: request.app.name, link, invitedBy })];
  return { id, answer, decision, events, ...storageOf(deps, open, { install, invitedBy }) };
}

/** What webhooks are told of an open with a click; the order of the fields is documented. */
function openEvent(
  open: OpensTable,
  { appName, link, invitedBy }: { appName: string; link: LinkRow | null; invitedBy: string | null },
): WebhookEvent {
  return {
    type: 'open.attributed',
    timestamp: open.opened_at,
    isSandbox: open.sandbox === 1,
    recordId: open.id,
    data: {
      openId: open.id,
      method: open.attribution_method,
      campaignId: open.campaign_id,
      deepLinkPath: link?.deep_link_path ?? null,
      appName,
      shortCode: link?.short_code ?? null,
      deepLinkParams: link === null || link.deep_link_params === '{}' ? null : link.deep_link_params,
      confidence: open.confidence,
      invitedBy,
    },
  };
}
