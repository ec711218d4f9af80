/** What a destination would send of a record, and a test that sends it. */
import type { AppDirectory } from '../../apps/index.ts';
import { recordChange } from '../../audit/index.ts';
import { type Actor, canSee } from '../../auth/index.ts';
import { AppError } from '../../errors.ts';
import type { Foundation } from '../../foundation.ts';
import type { Dispatcher } from '../attempts/index.ts';
import { readOwnWebhook, readWebhook } from '../queries.ts';
import { aboutWebhook, DESTINATION_TEST, type WebhookRow, webhookChange } from '../webhook.ts';
import { type RecordRef, toBatch } from './batch.ts';
import { type Collected, collect } from './collect.ts';
import { type Config, type Destination, readConfig, toDestination } from './destination.ts';
import type { ForwardedRecord } from './destination-type.ts';
import { maskSecrets } from './mask-secrets.ts';
import { findNewest } from './newest-record.ts';
import { type ReadRecord, readRecords } from './read-records.ts';
import type { ChooseRecordInput } from './schemas.ts';

type PreviewDeps = Pick<Foundation, 'db' | 'clock' | 'secrets'> & { readonly appDirectory: AppDirectory };
type Asked = { readonly actor: Actor; readonly id: string; readonly chosen: ChooseRecordInput };

interface Previewed {
  readonly record: Pick<ForwardedRecord, 'kind' | 'id' | 'name'>;
  readonly request: { method: 'POST'; url: string; headers: Record<string, string>; body: string } | null;
  readonly reason: string | null;
}

/** @throws AppError `destination.not_found`, `record.not_found`, `destination.nothing_to_send`, `request.invalid`. */
export async function previewRecord(deps: PreviewDeps, { actor, id, chosen }: Asked): Promise<Previewed> {
  const row = await readWebhook(deps.db, { actor, webhookId: id, kind: 'destination' });
  const { destination, config } = openRow(deps, row);
  const { ref, record } = await chooseRecord(deps, { actor, destination, config, chosen });
  const { call, kept } = await collect(deps, { destination, config, refs: [ref], isTest: false });
  const [reason] = reasonsIn(kept);
  const { kind, name } = record;
  const masked = call && maskSecrets(call, config, destination.type.secrets);
  const request = masked && { method: 'POST' as const, ...masked, headers: { ...masked.headers } };
  return {
    record: { kind, id: record.id, name },
    request,
    reason: request === null ? (reason ?? null) : null,
  };
}

/**
 * Sends one record once, to a disabled destination too, marked as a test where the network can. The attempt is in the log.
 * @throws AppError as `previewRecord`, and `destination.test_failed` with the reason.
 */
export async function testDestination(
  deps: PreviewDeps & Pick<Foundation, 'ids'> & { readonly dispatcher: Dispatcher },
  { actor, id, chosen }: Asked,
): Promise<{ record: Previewed['record']; httpStatus: number }> {
  const row = await readOwnWebhook(deps.db, { actor, webhookId: id, kind: 'destination' });
  const { destination, config } = openRow(deps, row);
  const { ref, record } = await chooseRecord(deps, { actor, destination, config, chosen });
  const { call, kept } = await collect(deps, { destination, config, refs: [ref], isTest: true });
  if (call === null)
    throw new AppError('destination.nothing_to_send', {
      message: `The record would not be sent. ${reasonsIn(kept).join(' ')} Choose another record, or change the destination.`,
    });
  const message = { ...toBatch(deps, row, [ref]), event_type: DESTINATION_TEST };
  const change = webhookChange(actor, row.id, { action: 'destination.tested', about: aboutWebhook(row) });
  await deps.db.transaction().execute((tx) => recordChange(tx, deps, change));
  const { success, httpStatus, errorMessage, responseBody } = await deps.dispatcher.sendOnce(row, message);
  if (!success)
    throw new AppError('destination.test_failed', {
      message: `The test was not accepted. ${errorMessage ?? ''} ${firstReason(responseBody)} Check the config and test again.`,
      // In the log of attempts.
      isLogged: true,
    });
  const { kind, name } = record;
  return { record: { kind, id: record.id, name }, httpStatus };
}

function openRow(
  deps: Pick<Foundation, 'secrets'>,
  row: WebhookRow,
): { destination: Destination; config: Config } {
  const destination = toDestination(row);
  const config = readConfig(deps, row);
  if (destination === null || config === null)
    throw new AppError('request.invalid', {
      message:
        'The secret fields of the config cannot be decrypted because SECRET_KEY has changed. Send them again.',
    });
  return { destination, config };
}

function reasonsIn(kept: Collected['kept']): string[] {
  return kept.map(({ reason }) => reason);
}

function firstReason(responseBody: string): string {
  try {
    const { reasons } = JSON.parse(responseBody) as { reasons: { reason: string }[] };
    return reasons[0]?.reason ?? '';
  } catch {
    return responseBody.slice(0, 300);
  }
}

async function chooseRecord(
  deps: PreviewDeps,
  {
    actor,
    destination,
    config,
    chosen,
  }: { actor: Actor; destination: Destination; config: Config; chosen: ChooseRecordInput },
): Promise<ReadRecord> {
  const named = Object.values(chosen).filter((id) => id !== undefined);
  if (named.length > 1)
    throw new AppError('request.invalid', { message: 'Send one of installId, openId and eventId.' });
  if (named.length === 0) {
    const newest = await findNewest(deps, { actor, destination, config });
    if (newest === null) throw new AppError('destination.nothing_to_send');
    return newest;
  }
  const appId = destination.row.app_id;
  const [read = null] = await readRecords(deps, appId, [await refOf(deps, appId, chosen)]);
  if (read === null || !canSee(actor, { sandbox: read.record.sandbox ? 1 : 0 }))
    throw new AppError('record.not_found');
  return read;
}

/** An event by the id of its client, too. */
async function refOf(
  { db, secrets }: Pick<Foundation, 'db' | 'secrets'>,
  appId: string,
  { installId, openId, eventId = '' }: ChooseRecordInput,
): Promise<RecordRef> {
  if (installId !== undefined) return { kind: 'install', id: installId.toLowerCase() };
  if (openId !== undefined) return { kind: 'open', id: openId.toLowerCase() };
  const id = eventId.toLowerCase();
  const marked = await db
    .selectFrom('event_ids')
    .select('event_id')
    .where('app_id', '=', appId)
    .where('mark', '=', secrets.markId(appId, id))
    .executeTakeFirst();
  return { kind: 'event', id: marked?.event_id ?? id };
}
