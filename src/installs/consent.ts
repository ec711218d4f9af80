/** Whether a person consents to device signals now: what the last install or open of the phone said. */
import type { Db, InstallsTable } from '../db/index.ts';

type Consent = Pick<InstallsTable, 'deterministic_only'>;
type ConsentColumns = Partial<
  Pick<InstallsTable, 'deterministic_only' | 'consented_at' | 'identifiers' | 'google_click_ids'>
>;

/**
 * What a call changes on its install. Without consent, what finds the person at other services goes; with it, records of
 * before `at` stay without.
 */
export function consentColumns(
  install: Consent,
  { deterministic_only, at }: Consent & { readonly at: string },
): ConsentColumns {
  if (deterministic_only === install.deterministic_only) return {};
  if (deterministic_only !== 1) return { deterministic_only, consented_at: at };
  return { deterministic_only, identifiers: null, google_click_ids: null };
}

/** Of a call that stores no record. */
export async function updateConsent(
  db: Db,
  install: Consent & Pick<InstallsTable, 'app_id' | 'id'>,
  told: Parameters<typeof consentColumns>[1],
): Promise<void> {
  const columns = consentColumns(install, told);
  if (Object.keys(columns).length === 0) return;
  await db
    .updateTable('installs')
    .set(columns)
    .where('app_id', '=', install.app_id)
    .where('id', '=', install.id)
    .execute();
}
