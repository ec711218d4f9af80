import type { ForwardedRecord } from '../../src/webhooks/destinations/destination-type.ts';
import { FULL_RECORD, SPARSE_RECORD } from '../fixtures/forwarded-records.ts';
import { HOSTILE_TEXTS } from '../fixtures/messages/notices.ts';
import type { RandomValues } from './random-values.ts';

/** Names that receivers give a meaning, or that break out of JSON, addresses and prototypes. */
const NAMES = [
  'plan',
  'token',
  'ip',
  'time',
  'revenue',
  'distinct_id',
  'user_id',
  'api_key',
  '$set',
  '$user_id',
  'a.b',
].concat(['__proto__', 'constructor', '"', '', '\ud800']);

/** Anything that the service may store. */
export function randomForwardedRecord(random: RandomValues): ForwardedRecord {
  const kind = random.pick(['install', 'open', 'event'] as const);
  const either = <T extends object>(full: T, sparse: T): T =>
    Object.fromEntries(
      Object.entries(full).map(([name, value]) => [
        name,
        random.pick([value, sparse[name as keyof T] ?? null]),
      ]),
    ) as T;
  const text = () => random.pick(HOSTILE_TEXTS);
  return {
    ...either(FULL_RECORD, SPARSE_RECORD),
    kind,
    id: FULL_RECORD.id,
    name:
      kind === 'event'
        ? random.pick(['purchase', 'add_to_cart', random.pick(NAMES), random.pick(HOSTILE_TEXTS)]) || 'e'
        : kind,
    userId: random.pick([null, text() || null, '0', 'anonymous']),
    properties: kind === 'event' ? randomProperties(random, 3) : {},
    revenue:
      kind === 'event'
        ? random.pick([null, { amount: '-0.0001', currency: 'JPY' }, FULL_RECORD.revenue])
        : null,
    transactionId: kind === 'event' ? random.pick([null, text() || null]) : null,
    attribution: either(FULL_RECORD.attribution, SPARSE_RECORD.attribution),
    network: random.pick([
      null,
      { ...either(FULL_RECORD.network ?? {}, {}), name: 'meta' } as ForwardedRecord['network'],
    ]),
    device: { ...either(FULL_RECORD.device, SPARSE_RECORD.device), model: random.pick([text(), null]) },
    identifiers: Object.fromEntries(Object.entries(FULL_RECORD.identifiers).filter(() => random.oneIn(2))),
    googleClickIds: either(FULL_RECORD.googleClickIds, SPARSE_RECORD.googleClickIds),
  };
}

function randomProperties(random: RandomValues, depth: number): Record<string, unknown> {
  const value = (): unknown => {
    if (depth > 0 && random.oneIn(4)) return randomProperties(random, depth - 1);
    return random.pick<unknown>([...HOSTILE_TEXTS, 0, -1.5, 1e21, true, null, [], ['a', [1]], '\ud800']);
  };
  return Object.fromEntries(random.list(6, () => [random.pick(NAMES), value()]));
}
