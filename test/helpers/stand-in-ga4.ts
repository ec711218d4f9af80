import { parseBody, StandIn, type StandInAnswer, type StandInRequest } from './stand-in.ts';

interface Payload {
  readonly app_instance_id?: unknown;
  readonly timestamp_micros?: unknown;
  readonly consent?: Readonly<Record<string, unknown>>;
  readonly events?: readonly Ga4Event[];
  readonly [name: string]: unknown;
}

export interface Ga4Event {
  readonly name: string;
  readonly params: Readonly<Record<string, unknown>>;
}

interface ValidationMessage {
  readonly fieldPath: string;
  readonly description: string;
  readonly validationCode: string;
}

/** …/reference#reserved_names */
const RESERVED_NAMES = new Set([
  ...[
    'ad_activeview',
    'ad_click',
    'ad_exposure',
    'ad_impression',
    'ad_query',
    'adunit_exposure',
    'app_clear_data',
  ],
  ...['app_install', 'app_update', 'app_remove', 'error', 'first_open', 'first_visit', 'in_app_purchase'],
  ...['notification_dismiss', 'notification_foreground', 'notification_open', 'notification_receive'],
  ...['os_update', 'screen_view', 'session_start', 'user_engagement'],
]);
const NAME = /^\p{L}[\p{L}\p{N}_]*$/u;

/**
 * Google Analytics' Measurement Protocol, and its validation server, which says what is wrong and stores nothing.
 * developers.google.com/analytics/devguides/collection/protocol/ga4/reference, …/validating-events
 */
export class StandInGa4 extends StandIn {
  readonly firebaseAppId = '1:1234567890:android:321abc456def7890';
  readonly apiSecret = 'secret-1';
  readonly stored: Payload[] = [];
  /** What `/mp/collect` answered 204 to without storing it. */
  readonly dropped: string[] = [];
  /** The time by which events are too old. */
  nowMs = Date.parse('2026-11-20T12:00:00Z');

  protected override answer({ method, path, query, body }: StandInRequest): StandInAnswer {
    if (method !== 'POST') return { status: 405, body: '' };
    const payload = parseBody<Payload>(body);
    const messages =
      payload === null ? [problem('', 'malformed JSON', 'VALUE_INVALID')] : problemsOf(payload);
    if (path === '/debug/mp/collect') return { status: 200, body: { validationMessages: messages } };
    if (path !== '/mp/collect') return { status: 404, body: '' };
    const isKnown =
      query.get('firebase_app_id') === this.firebaseAppId && query.get('api_secret') === this.apiSecret;
    if (payload === null || messages.length > 0) this.dropped.push(messages[0]?.description ?? '');
    else if (!isKnown) this.dropped.push('unknown secret or app');
    else if (this.nowMs - Number(payload.timestamp_micros) / 1_000 > 72 * 3_600_000)
      this.dropped.push('older than 72 hours');
    else this.stored.push(payload);
    return { status: 204, body: '' };
  }
}

function problemsOf(payload: Payload): ValidationMessage[] {
  const { app_instance_id: id, timestamp_micros: micros, consent = {}, events = [] } = payload;
  const problems: ValidationMessage[] = [];
  if (typeof id !== 'string' || id === '')
    problems.push(problem('app_instance_id', 'app_instance_id is required', 'VALUE_REQUIRED'));
  else if (!/^[0-9a-f]{32}$/i.test(id))
    problems.push(
      problem(
        'app_instance_id',
        `Measurement app_instance_id is expected to be a 32 digit hexadecimal number but was [${id.length}] digits.`,
        'VALUE_INVALID',
      ),
    );
  if (!Number.isSafeInteger(micros) || String(micros).length !== 16)
    problems.push(problem('timestamp_micros', 'timestamp_micros is not in microseconds', 'VALUE_INVALID'));
  if (Buffer.byteLength(JSON.stringify(payload)) > 130_000)
    problems.push(problem('', 'the body is larger than 130 kB', 'VALUE_OUT_OF_BOUNDS'));
  if (events.length === 0 || events.length > 25)
    problems.push(problem('events', 'a call has 1 to 25 events', 'EXCEEDED_MAX_ENTITIES'));
  for (const [name, value] of Object.entries(consent))
    if (
      !['ad_user_data', 'ad_personalization'].includes(name) ||
      !['GRANTED', 'DENIED'].includes(String(value))
    )
      problems.push(problem('consent', `consent has ${name}: ${value}`, 'VALUE_INVALID'));
  return [...problems, ...events.flatMap(problemsOfEvent)];
}

function problemsOfEvent({ name, params }: Ga4Event, index: number): ValidationMessage[] {
  const at = `Event at index: [${index}]`;
  const problems: ValidationMessage[] = [];
  if (!NAME.test(name))
    problems.push(
      problem(
        'events',
        `${at} has invalid name [${name}]. Names must start with an alphabetic character.`,
        'NAME_INVALID',
      ),
    );
  if ([...name].length > 40)
    problems.push(problem('events', `${at} has a name of more than 40 characters.`, 'VALUE_OUT_OF_BOUNDS'));
  if (RESERVED_NAMES.has(name) || /^(firebase_|ga_|google_)/.test(name))
    problems.push(problem('events', `${at} has name [${name}] which is reserved.`, 'NAME_RESERVED'));
  if (Object.keys(params).length > 25)
    problems.push(problem('events.params', `${at} has more than 25 params.`, 'EXCEEDED_MAX_ENTITIES'));
  for (const [parameter, value] of Object.entries(params)) {
    if (!NAME.test(parameter) || [...parameter].length > 40 || /^(firebase_|ga_|google_)/.test(parameter))
      problems.push(problem('events.params', `${at} has invalid param [${parameter}].`, 'NAME_INVALID'));
    if (typeof value === 'string' && [...value].length > 100)
      problems.push(problem('events.params', `${at}: [${parameter}] is too long.`, 'VALUE_OUT_OF_BOUNDS'));
    if (parameter !== 'items' && typeof value !== 'string' && typeof value !== 'number')
      problems.push(problem('events.params', `${at}: [${parameter}] is of no type.`, 'VALUE_INVALID'));
  }
  if ('value' in params && (typeof params.value !== 'number' || typeof params.currency !== 'string'))
    if (name !== 'spend_virtual_currency')
      problems.push(problem('events.params.value', `${at}: value needs a currency.`, 'VALUE_REQUIRED'));
  if (['purchase', 'refund'].includes(name) && typeof params.transaction_id !== 'string')
    problems.push(problem('events.params.transaction_id', `${at} has no transaction_id.`, 'VALUE_REQUIRED'));
  return problems;
}

function problem(fieldPath: string, description: string, validationCode: string): ValidationMessage {
  return { fieldPath, description, validationCode };
}
