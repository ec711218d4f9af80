import { type ChangedBy, namedFields, recordChange, recordServiceChange } from '../audit/index.ts';
import type { Config } from '../config.ts';
import { onSomeNode, type Transaction } from '../db/index.ts';
import type { Foundation } from '../foundation.ts';
import { isoTime } from '../lib/clock.ts';
import { type AppRow, THRESHOLD_PERCENT, WINDOW_DEFAULT_HOURS } from './app.ts';
import { columnsOf } from './columns.ts';
import type { HostDirectory } from './host-directory.ts';
import { metaKeyColumn } from './meta-referrer-key.ts';
import { insertApp } from './queries.ts';
import { CreateApp, type CreateAppInput } from './schemas.ts';
import { rethrowHostTaken } from './short-link-host.ts';
import { type RefuseLoops, refuseLoopsOf } from './update-app.ts';

type CreateDeps = Pick<Foundation, 'db' | 'clock' | 'ids' | 'config' | 'secrets'> & {
  readonly hostDirectory: HostDirectory;
  readonly refuseLoops: RefuseLoops;
};

/** @throws AppError `app.host_taken` */
export async function createApp(
  { db, clock, ids, config, secrets, hostDirectory, refuseLoops }: CreateDeps,
  { input, by }: { input: CreateAppInput; by: ChangedBy },
): Promise<AppRow> {
  await refuseLoopsOf(refuseLoops, { ...newApp(config, input), id: '' }, input);
  const app = await onSomeNode(db, { table: 'audit_log', make: ids.next }, (id) =>
    db.transaction().execute((tx) => storeApp(tx, { clock, ids, config, secrets }, { input, by, id })),
  );
  await hostDirectory.refresh();
  return app;
}

/** @throws AppError `app.host_taken` */
export async function storeApp(
  tx: Transaction,
  { clock, ids, config, secrets }: Pick<Foundation, 'clock' | 'ids' | 'config' | 'secrets'>,
  { input, by, id = ids.next() }: { input: CreateAppInput; by: ChangedBy; id?: string },
): Promise<AppRow> {
  const now = isoTime(clock.nowMs());
  const key = metaKeyColumn({ secrets }, id, input);
  const app = { ...newApp(config, input), ...key, id, created_at: now, updated_at: now };
  await insertApp(tx, app).catch(rethrowHostTaken);
  const of = { action: 'app.created', by, recordId: app.id, about: { name: app.name } } as const;
  const fields = namedFields(CreateApp, input);
  await recordChange(tx, { clock, ids }, { ...of, appId: app.id, sandbox: 0, fields });
  await recordServiceChange(tx, { clock, ids }, of);
  return app;
}

function newApp(config: Config, input: CreateAppInput): Omit<AppRow, 'id' | 'created_at' | 'updated_at'> {
  return {
    ios_bundle_id: null,
    ios_team_id: null,
    ios_app_store_id: null,
    android_package: null,
    android_cert_fingerprints: '[]',
    url_scheme: null,
    short_link_host: null,
    ios_destination: null,
    android_destination: null,
    fallback_url: null,
    landing_page: 'auto',
    clipboard_token: 0,
    referrer_window_hours: WINDOW_DEFAULT_HOURS.referrer,
    click_id_window_hours: WINDOW_DEFAULT_HOURS.clickId,
    fingerprint_window_hours: WINDOW_DEFAULT_HOURS.fingerprint,
    fingerprint_ios: 1,
    fingerprint_android: 1,
    fingerprint_threshold_percent: THRESHOLD_PERCENT.default,
    measure_accuracy: 1,
    daily_event_limit: null,
    daily_event_bytes: null,
    ...{ root_url: null, not_found_url: null, firebase_long_links: null, app_links: null },
    revenuecat_key: null,
    ...{ apple_ads: null, meta_referrer_key: null },
    links_revision: 0,
    ...columnsOf(config, input),
    name: input.name,
  };
}
