import {
  type AttributionAnswer,
  attribute,
  type Decision,
  decideExistingUser,
  deviceColumns,
  firstAnswer,
  type NewRecord,
  outcomeColumns,
  type Received,
  type RecordingDeps,
  receive,
  type Sender,
  storeRecord,
  toAnswer,
  untilRecorded,
  windowHoursOf,
} from '../attribution/index.ts';
import type { ClickRow } from '../click-log/index.ts';
import { type InstallsTable, toFlag } from '../db/index.ts';
import { isoTime } from '../lib/clock.ts';
import { inviterOf, type LinkRow } from '../links/index.ts';
import {
  insertUse,
  type NetworksOfInstall,
  type NetworksRead,
  networkColumns,
  networkEvent,
  ofExistingUser,
  readUnused,
  tokenMessage,
} from '../networks/index.ts';
import { installCounts } from '../stats/index.ts';
import type { WebhookEvent } from '../webhooks/index.ts';
import { updateConsent } from './consent.ts';
import { findInstallForRetry } from './gone-installs.ts';
import { insertInstall } from './queries.ts';
import type { RecordInstallInput } from './schemas.ts';

/**
 * Attributes an install and stores it. A retry with its ID gets the first answer.
 * @throws AppError `install.erased`; as `firstAnswer` and `receive`.
 */
export async function recordInstall(
  deps: RecordingDeps,
  sending: Sender & { call: RecordInstallInput },
): Promise<AttributionAnswer> {
  return await deps.recordings.during(() => record(deps, sending));
}

async function record(
  deps: RecordingDeps,
  { call, ...sender }: Sender & { call: RecordInstallInput },
): Promise<AttributionAnswer> {
  const { actor } = sender;
  const findFirst = async (id: string) => {
    const stored = await findInstallForRetry(deps.db, deps, actor.appId, id);
    const answer = firstAnswer<AttributionAnswer>(actor, stored);
    if (answer !== null && stored !== undefined)
      await keepConsent(deps, { ...stored, app_id: actor.appId, id }, call);
    const invitedBy = stored?.invited_by ?? null;
    // An open may have told the inviter since.
    return answer && invitedBy !== null ? { ...answer, metadata: { ...answer.metadata, invitedBy } } : answer;
  };
  const givenId = call.installId?.toLowerCase() ?? null;
  const first = givenId === null ? null : await findFirst(givenId);
  if (first !== null) return first;

  const claimant = call.existingUser === true ? null : 'install';
  const received = await receive(deps, { ...sender, claimant, call });
  const id = givenId ?? deps.ids.next();
  return await untilRecorded(received, async (current) => {
    const networks = await networksOf(deps, received, call);
    if (networks.appleAdsToken !== null) await deps.appleAds.makeReceiver(actor.appId);
    const install = await toInstall(deps, { id, call, networks, received: current });
    const outcome = await storeRecord(deps, current, install);
    if (outcome === 'recorded') {
      const { decision } = install;
      deps.counters.installed(call.existingUser === true ? 'EXISTING_USER' : (decision?.method ?? 'ORGANIC'));
      deps.measure.note({ request: current.request, decision, installedAtMs: deps.clock.nowMs() });
      return install.answer;
    }
    return outcome === 'recorded_before' ? await findFirst(id) : null;
  });
}

/** A repeated call has no record of its own to say it. */
async function keepConsent(
  { db, clock }: RecordingDeps,
  install: Parameters<typeof updateConsent>[1],
  { deterministicOnly }: RecordInstallInput,
): Promise<void> {
  const told = deterministicOnly === true ? 1 : null;
  await updateConsent(db, install, { deterministic_only: told, at: isoTime(clock.nowMs()) });
}

async function networksOf(
  deps: RecordingDeps,
  { request }: Received,
  call: RecordInstallInput,
): Promise<NetworksOfInstall> {
  const { deterministicOnly, device } = request;
  const read = await readUnused(deps, request, { ...call, platform: device.platform, deterministicOnly });
  return call.existingUser === true ? { ...ofExistingUser(read), marks: [] } : read;
}

/** See `installs.active_days`: an install is active on its own day. */
const FIRST_DAY = 1;

interface Recording {
  readonly id: string;
  readonly call: RecordInstallInput;
  readonly networks: NetworksOfInstall;
  readonly received: Received;
}

async function toInstall(
  deps: RecordingDeps,
  { id, call, networks, received }: Recording,
): Promise<NewRecord<AttributionAnswer>> {
  const { request } = received;
  const isExisting = call.existingUser === true;
  const { decision, link } = isExisting
    ? { decision: decideExistingUser(request, windowHoursOf(request.app)), link: null }
    : await attribute(deps, received);
  const invitedBy = inviterOf(link, id);
  const answer = toAnswer(decision, link, { installId: id, invitedBy });
  const install = {
    app_id: request.app.id,
    id,
    sandbox: toFlag(request.debugBuild),
    user_id: null,
    erased: null,
    erased_at: null,
    last_open: null,
    active_days: FIRST_DAY,
    first_purchase: null,
    invited_by: invitedBy,
    identifiers: null,
    consented_at: null,
    identifier_times: null,
    existing_user: isExisting ? toFlag(true) : null,
    ...networkColumns(networks),
    installed_at: isoTime(deps.clock.nowMs()),
    ...deviceColumns(call, request.ipHash),
    ...outcomeColumns(decision, { answer, country: request.country }),
    utm: utmOf(decision, { request, networks }),
  };
  return {
    ...{ id, answer, decision },
    claims: await insertUse(deps, install, networks.marks),
    insert: insertInstall(deps.db, install),
    counts: installCounts([{ ...install, recordedAt: install.installed_at }]),
    events: isExisting ? [] : eventsOf(deps, install, { ...networks, app: request.app, decision, link }),
    ...exchangeOf(deps, install, networks),
  };
}

/** A link of ours writes its own values into Play's referrer, which are those of its click. */
function utmOf(
  { click }: Decision,
  { request, networks }: Pick<Received, 'request'> & Pick<Recording, 'networks'>,
): string | null {
  return click?.utm ?? (request.referrer === null ? networks.utm : null);
}

function eventsOf(
  deps: RecordingDeps,
  install: InstallsTable,
  {
    app: { name: appName },
    decision: { click },
    link,
    claim,
  }: { app: { name: string }; decision: Pick<Decision, 'click'>; link: LinkRow | null } & NetworksRead,
): WebhookEvent[] {
  const event = installEvent(install, { appName, click, link });
  return claim === null ? [event] : [event, networkEvent(deps, install, { appName, claim })];
}

/** Apple is asked after the install is stored. */
function exchangeOf(
  deps: RecordingDeps,
  install: InstallsTable,
  { appleAdsToken }: NetworksRead,
): Pick<NewRecord<AttributionAnswer>, 'changes' | 'attempts'> {
  if (appleAdsToken === null) return {};
  const { writes, attempt } = tokenMessage(deps, install, appleAdsToken);
  return { changes: writes, attempts: [attempt] };
}

/** What webhooks are told; the order of the fields is documented. */
export function installEvent(
  install: InstallsTable,
  { appName, click, link }: { appName: string; click: ClickRow | null; link: LinkRow | null },
): WebhookEvent {
  const { id: installId, platform } = install;
  const common = {
    timestamp: install.installed_at,
    isSandbox: install.sandbox === 1,
    recordId: install.id,
  };
  if (click === null)
    return {
      ...common,
      type: 'install.organic',
      data: {
        installId,
        platform,
        appName,
        deviceModel: install.device_model,
        osVersion: install.os_version,
        locale: install.locale,
      },
    };
  return {
    ...common,
    type: 'install.attributed',
    data: {
      installId,
      method: install.attribution_method,
      campaignId: install.campaign_id,
      platform,
      appName,
      shortCode: link?.short_code ?? null,
      deepLinkPath: link?.deep_link_path ?? null,
      confidence: install.confidence,
      clickedAt: click.clicked_at,
      invitedBy: install.invited_by,
    },
  };
}
