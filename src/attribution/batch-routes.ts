/** `POST /v1/sdk/installs` and `/v1/sdk/opens`: batches whose items are recorded each by itself. */
import { type TObject, type TSchema, Type } from 'typebox';
import { AppError, type ErrorCode } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { monotonicMs } from '../lib/clock.ts';
import { inLanes } from '../lib/lanes.ts';
import { toAppError } from '../server/error-response.ts';
import { MAX_BATCH_BYTES, parseListBody, readBodiesWith } from '../server/json-body.ts';
import { ErrorCode as CodeOfItem, errorResponses, Named } from '../server/schemas.ts';
import type { Api } from '../server/server.ts';
import { compileCheck } from '../server/validation.ts';
import type { SdkCall } from './attribution-request.ts';
import type { RecordingDeps, Sender } from './record-once.ts';
import { FINGERPRINT_EXAMPLE } from './schemas.ts';

interface BatchSender extends Omit<Sender, 'batchSinceMs'> {
  /** For the log. */
  readonly requestId: string;
}

type ItemResult<Answer> = ({ status: 200 } & Answer) | { status: number; error: string; code: ErrorCode };

interface BatchKind<Call extends SdkCall, Answer> {
  readonly kind: 'install' | 'open';
  readonly summary: string;
  /** Of a single call. */
  readonly call: TObject;
  readonly answer: TObject;
  /** Drops what must not cost the record, before the call is validated. */
  clean?(item: unknown): unknown;
  /** Items of the same install, or else of the same address, are recorded in their order. */
  installOf(call: Call): string | null;
  record(sending: Sender & { call: Call }): Promise<Answer>;
}

const MAX_BATCH = 100;
/** Of one batch: enough to wait for the disk and the database together, and a share of the connections of PostgreSQL. */
const MAX_LANES = 8;

export function addBatchRoute<Call extends SdkCall, Answer>(
  api: Api,
  deps: Pick<RecordingDeps, 'clickLog' | 'log'>,
  batch: BatchKind<Call, Answer>,
): void {
  const { kind, summary, call, answer } = batch;
  const list = `${kind}s`;
  const Kind = kind === 'install' ? 'Install' : 'Open';
  const itemsOf = (schema: TSchema) => ({ [list]: Type.Array(schema, { maxItems: MAX_BATCH }) });
  // The handler validates each item, so that an invalid one does not fail the others.
  const anything = Type.Unsafe<unknown>({ description: `As the body of POST /v1/sdk/${kind}` });
  const check = compileCheck(call, kind);
  api.register(async (scope: Api) => {
    readBodiesWith(scope, parseListBody(list, MAX_BATCH));
    scope.post(`/v1/sdk/${list}`, {
      config: { batch: { list, maxItems: MAX_BATCH } },
      bodyLimit: MAX_BATCH_BYTES,
      schema: {
        tags: ['SDK'],
        operationId: `record${Kind}s`,
        summary,
        description:
          'For servers, and for apps that were offline. Each item counts as a call. 429, 500 or 503 if every item is to be sent again; if only some are, 200 with that as their status.',
        body: Type.Object(itemsOf(anything)),
        documentedBody: Named(`Record${Kind}s`, itemsOf(call)),
        bodyExample: { [list]: [{ fingerprint: FINGERPRINT_EXAMPLE }] },
        response: {
          200: Named(`${Kind}sRecorded`, {
            results: Type.Array(
              Named(`${Kind}Outcome`, { ...itemFields, ...Type.Partial(answer).properties }),
              {
                description: `One per ${kind}, in order: the answer of a single call with its status, or an error`,
              },
            ),
          }),
          ...errorResponses(400, 401, 413, 415, 429, 503),
        },
      },
      handler: async ({ actor, id, ip, body }) => {
        const sender = { actor, connectionAddress: ip, requestId: id };
        const items = (body as Record<string, unknown[]>)[list] ?? [];
        return { results: await recordBatch(deps, batch, { check, items, sender }) } as never;
      },
    });
  });
}

const itemFields = {
  status: Type.Integer({ description: '200, 400, 404, 409, 429, 500 or 503, as for a single call' }),
  error: Type.Optional(Type.String()),
  code: CodeOfItem,
};

/**
 * Records each item by itself and returns a result for each, in order.
 * @param check returns the error text of an invalid item, or null.
 * @param items an AppError stands for an item that was refused before.
 * @throws AppError of the first item if the client is to send every item again, for clients that read only the status.
 */
async function recordBatch<Call extends SdkCall, Answer>(
  { clickLog, log }: Pick<RecordingDeps, 'clickLog' | 'log'>,
  { clean = (item) => item, installOf, record }: BatchKind<Call, Answer>,
  {
    check,
    items,
    sender: { requestId, ...sender },
  }: { check: (item: unknown) => string | null; items: readonly unknown[]; sender: BatchSender },
): Promise<ItemResult<Answer>[]> {
  const batchSinceMs = monotonicMs();
  await clickLog.applied(sender.actor.appId);
  const checked = items.map((sent) => {
    if (sent instanceof AppError) return sent;
    const item = clean(sent);
    const message = check(item);
    return message === null ? (item as Call) : new AppError('request.invalid', { message });
  });
  let outage: AppError | null = null;
  const lanes = {
    laneOf: (call: Call | AppError) =>
      call instanceof AppError ? null : (installOf(call) ?? givenOrConnection(sender, call)),
    maxLanes: MAX_LANES,
  };
  const outcomes = await inLanes(checked, lanes, async (call) => {
    if (call instanceof AppError) return call;
    // Each further attempt would wait for the database until its timeout.
    if (outage !== null) return outage;
    try {
      return await record({ ...sender, batchSinceMs, call });
    } catch (thrown) {
      const error = toAppError(thrown);
      if (error.code === 'database.unavailable') outage = error;
      return error;
    }
  });
  const [first] = outcomes;
  if (first instanceof AppError && outcomes.every(isToRepeat)) throw first;
  logFaults({ log }, outcomes, requestId);
  return outcomes.map(toResult);
}

/** As `addressOf`, of an address that is not checked yet. */
function givenOrConnection({ actor, connectionAddress }: Sender, { fingerprint }: SdkCall): string | null {
  return actor.publishable ? connectionAddress : (fingerprint.ipAddress ?? null);
}

function isToRepeat(outcome: unknown): boolean {
  return outcome instanceof AppError && (outcome.status === 429 || outcome.status >= 500);
}

/** Once for the batch, since its items mostly have the same fault. */
function logFaults({ log }: Pick<Foundation, 'log'>, outcomes: readonly unknown[], requestId: string): void {
  const faults = outcomes.filter((outcome) => outcome instanceof AppError && outcome.status >= 500);
  const [err] = faults;
  if (err !== undefined) log.error({ err, requestId, items: faults.length }, 'Items of a batch failed');
}

function toResult<Answer>(outcome: Answer | AppError): ItemResult<Answer> {
  return outcome instanceof AppError
    ? { status: outcome.status, error: outcome.message, code: outcome.code }
    : { status: 200, ...outcome };
}
