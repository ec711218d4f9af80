/** Records as they are when they are sent. */
import type { AppDirectory, AppRow } from '../../apps/index.ts';
import { type Db, type EventsTable, type InstallsTable, isAmong, type OpensTable } from '../../db/index.ts';
import type { Foundation } from '../../foundation.ts';
import type { RecordRef } from './batch.ts';
import type { ForwardedRecord } from './destination-type.ts';
import type { ForwardedKind } from './feed.ts';
import {
  listTold,
  revenueOf,
  type ToldEvent,
  type ToldTransaction,
  toldBefore,
} from './told-transactions.ts';

export interface ReadRecord {
  readonly ref: RecordRef;
  readonly record: ForwardedRecord;
  /** By the service's clock. */
  readonly recordedAtMs: number;
  /** An install of which Apple has not said yet whether it is due to an ad. */
  readonly awaitsNetwork: boolean;
  /** Of an event that repeats a transaction: those of the same install that told it before. */
  readonly toldBefore: readonly ToldTransaction[];
}

interface Rows {
  readonly app: AppRow;
  readonly installs: ReadonlyMap<string, InstallsTable>;
  /** By the id of the link. */
  readonly shortCodes: ReadonlyMap<string, string>;
  /** Events of the transactions that some event repeats. */
  readonly told: readonly ToldEvent[];
}

/** In the order of `refs`; null for what is erased or deleted, and for an open without an install. */
export async function readRecords(
  { db, appDirectory }: Pick<Foundation, 'db'> & { readonly appDirectory: AppDirectory },
  appId: string,
  refs: readonly RecordRef[],
): Promise<(ReadRecord | null)[]> {
  const idsOf = (kind: ForwardedKind) => refs.filter((ref) => ref.kind === kind).map(({ id }) => id);
  const [app, events, opens] = await Promise.all([
    appDirectory.get(appId),
    byIds(db, 'events', appId, idsOf('event')),
    byIds(db, 'opens', appId, idsOf('open')),
  ]);
  const ofInstalls = [...events.values(), ...opens.values()].flatMap(({ install_id }) => install_id ?? []);
  const installs = await byIds(db, 'installs', appId, [...idsOf('install'), ...ofInstalls]);
  const shortCodes = await findShortCodes(db, appId, [...installs.values(), ...opens.values()]);
  const told = await listTold(db, appId, [...events.values()]);
  const rows = { app, installs, shortCodes, told };
  return refs.map((ref) => {
    if (ref.kind === 'install') return ofInstall(rows, ref, installs.get(ref.id));
    if (ref.kind === 'open') return ofOpen(rows, ref, opens.get(ref.id));
    return ofEvent(rows, ref, events.get(ref.id));
  });
}

interface Tables {
  readonly events: EventsTable;
  readonly opens: OpensTable;
  readonly installs: InstallsTable;
}

async function byIds<T extends keyof Tables>(
  db: Db,
  table: T,
  appId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Tables[T]>> {
  const unique = [...new Set(ids)];
  if (unique.length === 0) return new Map();
  const rows = await db
    .selectFrom(table as 'installs')
    .selectAll()
    .where('app_id', '=', appId)
    .where(isAmong(db, 'id', unique))
    .execute();
  return new Map((rows as unknown as Tables[T][]).map((row) => [row.id, row]));
}

async function findShortCodes(
  db: Db,
  appId: string,
  records: readonly Pick<InstallsTable, 'link_id'>[],
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(records.flatMap(({ link_id }) => link_id ?? []))];
  if (ids.length === 0) return new Map();
  const links = await db
    .selectFrom('links')
    .select(['id', 'short_code'])
    .where('app_id', '=', appId)
    .where(isAmong(db, 'id', ids))
    .execute();
  return new Map(links.map(({ id, short_code: code }) => [id, code]));
}

/** What is not erased. */
function unerased<T extends { readonly erased: number | null }>(row: T | undefined): T | null {
  return row === undefined || row.erased === 1 ? null : row;
}

function ofInstall(rows: Rows, ref: RecordRef, stored: InstallsTable | undefined): ReadRecord | null {
  const install = unerased(stored);
  if (install === null) return null;
  const record = {
    ...common(rows, install),
    ...({ kind: 'install', id: install.id, name: 'install', occurredAt: install.installed_at } as const),
    userId: install.user_id,
    ...NO_EVENT,
    attribution: attributionOf(rows, install),
    device: deviceOf(install),
    deterministicOnly: isWithheld(install, install.installed_at),
  };
  return {
    ref,
    record: withoutSignals(record),
    recordedAtMs: Date.parse(install.installed_at),
    awaitsNetwork: awaitsNetwork(install),
    toldBefore: [],
  };
}

function ofOpen(rows: Rows, ref: RecordRef, stored: OpensTable | undefined): ReadRecord | null {
  const open = unerased(stored);
  const install = unerased(rows.installs.get(open?.install_id ?? ''));
  if (open === null || install === null) return null;
  const record = {
    ...common(rows, install),
    ...({ kind: 'open', id: open.id, name: 'open', occurredAt: open.opened_at } as const),
    userId: open.user_id ?? install.user_id,
    ...NO_EVENT,
    attribution: attributionOf(rows, open),
    device: deviceOf(open),
    deterministicOnly: open.deterministic_only === 1 || isWithheld(install, open.opened_at),
  };
  return {
    ref,
    record: withoutSignals(record),
    recordedAtMs: Date.parse(open.opened_at),
    ...{ awaitsNetwork: false, toldBefore: [] },
  };
}

function ofEvent(rows: Rows, ref: RecordRef, stored: EventsTable | undefined): ReadRecord | null {
  const event = unerased(stored);
  const install = unerased(rows.installs.get(event?.install_id ?? ''));
  if (event === null || install === null) return null;
  const record = {
    ...common(rows, install),
    kind: 'event' as const,
    id: event.client_event_id ?? event.id,
    name: event.event_name,
    occurredAt: event.occurred_at,
    userId: event.user_id,
    properties: JSON.parse(event.properties) as Record<string, unknown>,
    revenue: revenueOf(event),
    transactionId: event.transaction_id?.replace(OF_REFUND, '') ?? null,
    repeatsTransaction: event.repeats_transaction === 1,
    attribution: attributionOf(rows, install),
    device: deviceOf(install),
    deterministicOnly: isWithheld(install, event.created_at),
  };
  return {
    ref,
    record: withoutSignals(record),
    recordedAtMs: Date.parse(event.created_at),
    awaitsNetwork: false,
    toldBefore: toldBefore(rows.told, event),
  };
}

/** Whether consent to device signals is missing now, or was when the record was stored. */
function isWithheld(
  { deterministic_only, consented_at }: Pick<InstallsTable, 'deterministic_only' | 'consented_at'>,
  recordedAt: string,
): boolean {
  return deterministic_only === 1 || (consented_at !== null && recordedAt < consented_at);
}

const NO_SIGNALS = {
  identifiers: {},
  googleClickIds: { gclid: null, gbraid: null },
} as const;
const NO_DEVICE = { model: null, osVersion: null, locale: null, userAgent: null } as const;

/** What was stored while there was consent, or is since, says nothing of a record without it. */
function withoutSignals(record: ForwardedRecord): ForwardedRecord {
  if (!record.deterministicOnly) return record;
  return { ...record, ...NO_SIGNALS, device: { ...record.device, ...NO_DEVICE } };
}

/** What makes the ID of a refund, or of its reversal, of that of the purchase: by the documents, and from RevenueCat. */
const OF_REFUND = /-refund(-reversed)?(-[0-9A-Za-z_-]{1,64})?$/;

const NO_EVENT = { properties: {}, revenue: null, transactionId: null, repeatsTransaction: false } as const;

const PLATFORMS: Readonly<Record<string, 'ios' | 'android'>> = { IOS: 'ios', ANDROID: 'android' };

function common({ app }: Rows, install: InstallsTable) {
  return {
    sandbox: install.sandbox === 1,
    app: {
      name: app.name,
      iosBundleId: app.ios_bundle_id,
      iosAppStoreId: app.ios_app_store_id,
      androidPackage: app.android_package,
    },
    installId: install.id,
    installedAt: install.installed_at,
    platform: PLATFORMS[install.platform.toUpperCase()] ?? ('other' as const),
    network: networkOf(install),
    identifiers: parsed<ForwardedRecord['identifiers']>(install, 'identifiers') ?? {},
    googleClickIds: { gclid: null, gbraid: null, ...parsed<object>(install, 'google_click_ids') },
  };
}

/** What a column has as JSON, if this version of the schema has it. */
function parsed<T>(install: InstallsTable, column: string): T | null {
  const text = (install as unknown as Readonly<Record<string, string | null | undefined>>)[column];
  return text === null || text === undefined ? null : (JSON.parse(text) as T);
}

const NETWORK_FIELDS = ['campaignId', 'campaignName', 'adGroupId', 'adGroupName', 'adId', 'adName'] as const;

function awaitsNetwork(install: InstallsTable): boolean {
  const findings = parsed<{ outcome: string }[]>(install, 'network_trace') ?? [];
  return install.network === null && findings.some(({ outcome }) => outcome === 'waiting');
}

/** A live install of a developer's build has none, as in statistics. */
function networkOf(install: InstallsTable): ForwardedRecord['network'] {
  const network = parsed<Record<string, string | boolean | null>>(install, 'network');
  if (network === null || (network.test === true && install.sandbox === 0)) return null;
  const fields = NETWORK_FIELDS.map((name) => [name, network[name] ?? null]);
  return { name: network.name ?? '', ...Object.fromEntries(fields) } as ForwardedRecord['network'];
}

function attributionOf(
  { shortCodes }: Rows,
  { attribution_method: method, campaign_id: campaignId, link_id: linkId, utm }: InstallsTable | OpensTable,
): ForwardedRecord['attribution'] {
  const tags = utm === null ? null : (JSON.parse(utm) as Record<string, string | null>);
  return {
    method: method as ForwardedRecord['attribution']['method'],
    campaignId,
    shortCode: shortCodes.get(linkId ?? '') ?? null,
    utm: tags && {
      source: tags.source ?? null,
      medium: tags.medium ?? null,
      campaign: tags.campaign ?? null,
    },
  };
}

function deviceOf(row: InstallsTable | OpensTable): ForwardedRecord['device'] {
  const fingerprint =
    row.fingerprint === null ? {} : (JSON.parse(row.fingerprint) as { appVersion?: string });
  return {
    model: row.device_model,
    osVersion: row.os_version,
    locale: row.locale,
    country: row.country,
    appVersion: fingerprint.appVersion ?? null,
    userAgent: row.user_agent,
  };
}
