/** A data directory whose database an earlier version made. */
import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import { migrations } from '../../../migrations/index.ts';
import { openStore } from '../../../src/db/index.ts';
import { makeDirectory } from '../../../src/lib/files.ts';
import { createLog } from '../../../src/lib/log.ts';
import { run } from './tools.ts';

/** The last migration of the version. */
const EARLIER = '0030_imports';
export const OLD_DESTINATION = 'https://example.com/old';

/** Stores an app with one link, for the user of the image. */
export async function storeOldLink(dataDir: string, shortCode: string): Promise<void> {
  makeDirectory(dataDir);
  const earlier = (types: Parameters<typeof migrations>[0]) =>
    Object.fromEntries(Object.entries(migrations(types)).filter(([name]) => name <= EARLIER));
  const store = await openStore(
    { dataDir, databaseUrl: null },
    earlier,
    createLog('silent'),
    () => undefined,
  );
  await store.migrate();
  const db = store.db as unknown as Kysely<Record<string, Record<string, unknown>>>;
  const at = '2026-06-01T12:00:00.000Z';
  const [appId, linkId] = [randomUUID(), randomUUID()];
  const times = { created_at: at, updated_at: at };
  await db
    .insertInto('apps')
    .values({
      ...{
        id: appId,
        name: 'Old',
        android_cert_fingerprints: '[]',
        landing_page: 'auto',
        clipboard_token: 0,
      },
      ...{ referrer_window_hours: 2160, click_id_window_hours: 2160, fingerprint_window_hours: 24 },
      ...{ fingerprint_ios: 1, fingerprint_android: 0, links_revision: 0, ...times },
    })
    .execute();
  await db
    .insertInto('links')
    .values({
      ...{
        app_id: appId,
        id: linkId,
        short_code: shortCode,
        deep_link_path: '/',
        deep_link_params: '{}',
      },
      ...{ metadata: '{}', sandbox: 0, fallback_url: OLD_DESTINATION, ...times },
    })
    .execute();
  await db.insertInto('short_codes').values({ code: shortCode, app_id: appId, link_id: linkId }).execute();
  await store.close();
  run('chown', ['--recursive', '65532:65532', dataDir]);
}
