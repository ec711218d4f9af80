/** Names of what a record has, as templates and mappings write them: `revenue.amount`, `properties.plan`. */
import { type ForwardedRecord, IDENTIFIERS } from './destination-type.ts';

const PROPERTIES = 'properties.';

/** Beside them any `properties.<name>`. */
export const RECORD_PATHS: readonly string[] = [
  'record',
  ...['kind', 'id', 'name', 'occurredAt', 'occurredAtSeconds', 'occurredAtMs', 'sandbox'],
  ...under('app', ['name', 'iosBundleId', 'iosAppStoreId', 'androidPackage']),
  ...['installId', 'installedAt', 'userId', 'platform'],
  'properties',
  ...under('revenue', ['amount', 'amountAsNumber', 'currency']),
  ...['transactionId', 'repeatsTransaction'],
  ...under('attribution', ['method', 'campaignId', 'shortCode']),
  ...under('attribution.utm', ['source', 'medium', 'campaign']),
  ...under('network', ['name', 'campaignId', 'campaignName', 'adGroupId', 'adGroupName', 'adId', 'adName']),
  ...under('device', ['model', 'osVersion', 'locale', 'country', 'appVersion', 'userAgent']),
  'deterministicOnly',
  ...under('identifiers', IDENTIFIERS),
  ...under('googleClickIds', ['gclid', 'gbraid']),
];

/** In the units that receivers take. */
const DERIVED: Readonly<Record<string, (record: ForwardedRecord) => unknown>> = {
  record: (record) => record,
  occurredAtSeconds: ({ occurredAt }) => Math.floor(Date.parse(occurredAt) / 1_000),
  occurredAtMs: ({ occurredAt }) => Date.parse(occurredAt),
  'revenue.amountAsNumber': ({ revenue }) => revenue && Number(revenue.amount),
};

export function isRecordPath(path: string): boolean {
  return RECORD_PATHS.includes(path) || (path.startsWith(PROPERTIES) && path.length > PROPERTIES.length);
}

/** Completes a text such as “userid is unknown. Use …”. */
export function describePaths(): string {
  return `one of ${RECORD_PATHS.join(', ')}, or ${PROPERTIES}<name>`;
}

/** @returns null for what the record does not have. */
export function readPath(record: ForwardedRecord, path: string): unknown {
  const derive = Object.hasOwn(DERIVED, path) ? DERIVED[path] : undefined;
  return (derive === undefined ? valueAt(record, path) : derive(record)) ?? null;
}

/** A whole name that contains dots comes before a path of names. */
function valueAt(value: unknown, path: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Object.hasOwn(value, path)) return (value as Record<string, unknown>)[path];
  const dot = path.indexOf('.');
  if (dot < 0) return undefined;
  return valueAt(valueAt(value, path.slice(0, dot)), path.slice(dot + 1));
}

function under(name: string, fields: readonly string[]): string[] {
  return [name, ...fields.map((field) => `${name}.${field}`)];
}
