import type { Migrations } from '../src/db/index.ts';
import { initial } from './0001_initial.ts';
import { boundPostbacks } from './0002_bound_postbacks.ts';
import { auditChanges } from './0003_audit_changes.ts';
import { dailyUsage } from './0004_daily_usage.ts';
import { retentionClock } from './0005_retention_clock.ts';
import { oneDeliveryTable } from './0006_one_delivery_table.ts';
import { numbers } from './0007_numbers.ts';
import { sandboxWebhooks } from './0008_sandbox_webhooks.ts';
import { accounts } from './0009_accounts.ts';
import { auditOfLinks } from './0010_audit_of_links.ts';
import { receivers } from './0011_receivers.ts';
import { existingUsers } from './0012_existing_users.ts';
import { authorsOfAccess } from './0013_authors_of_access.ts';
import { appsBehind } from './0014_apps_behind.ts';
import { linksByCode } from './0015_links_by_code.ts';
import { serviceLog } from './0016_service_log.ts';
import { erasureIdentifiers } from './0017_erasure_identifiers.ts';
import { pendingInOrder } from './0018_pending_in_order.ts';
import { webhookQueue } from './0019_webhook_queue.ts';
import { purchases } from './0020_purchases.ts';
import { costs } from './0021_costs.ts';
import { findRecords } from './0022_find_records.ts';
import { failingSince } from './0023_failing_since.ts';
import { retriesByMessage } from './0024_retries_by_message.ts';
import { keyNames } from './0025_key_names.ts';
import { auditFilters } from './0026_audit_filters.ts';
import { erasuresWithChoice } from './0027_erasures_with_choice.ts';
import { linkFields } from './0028_link_fields.ts';
import { linkTexts } from './0029_link_texts.ts';
import { imports } from './0030_imports.ts';
import { receiverKinds } from './0031_receiver_kinds.ts';
import { networks } from './0032_networks.ts';
import { networkCounts } from './0033_network_counts.ts';
import { accuracy } from './0034_accuracy.ts';
import { revenuecat } from './0035_revenuecat.ts';
import { transactions } from './0036_transactions.ts';
import { watchedHosts } from './0037_watched_hosts.ts';
import { formerSecrets } from './0038_former_secrets.ts';
import { movesToSqlite } from './0039_moves_to_sqlite.ts';

/** All migrations in order. Released migrations never change; a new one gets the next number. */
export const migrations: Migrations = (types) => ({
  '0001_initial': { up: (db) => initial(db, types) },
  '0002_bound_postbacks': { up: (db) => boundPostbacks(db, types) },
  '0003_audit_changes': { up: auditChanges },
  '0004_daily_usage': { up: (db) => dailyUsage(db, types) },
  '0005_retention_clock': { up: (db) => retentionClock(db, types) },
  '0006_one_delivery_table': { up: (db) => oneDeliveryTable(db, types) },
  '0007_numbers': { up: (db) => numbers(db, types) },
  '0008_sandbox_webhooks': { up: (db) => sandboxWebhooks(db, types) },
  '0009_accounts': { up: (db) => accounts(db, types) },
  '0010_audit_of_links': { up: auditOfLinks },
  '0011_receivers': { up: (db) => receivers(db, types) },
  '0012_existing_users': { up: (db) => existingUsers(db, types) },
  '0013_authors_of_access': { up: (db) => authorsOfAccess(db, types) },
  '0014_apps_behind': { up: (db) => appsBehind(db, types) },
  '0015_links_by_code': { up: linksByCode },
  '0016_service_log': { up: (db) => serviceLog(db, types) },
  '0017_erasure_identifiers': { up: erasureIdentifiers },
  '0018_pending_in_order': { up: (db) => pendingInOrder(db, types) },
  '0019_webhook_queue': { up: (db) => webhookQueue(db, types) },
  '0020_purchases': { up: (db) => purchases(db, types) },
  '0021_costs': { up: (db) => costs(db, types) },
  '0022_find_records': { up: (db) => findRecords(db, types) },
  '0023_failing_since': { up: (db) => failingSince(db, types) },
  '0024_retries_by_message': { up: retriesByMessage },
  '0025_key_names': { up: (db) => keyNames(db, types) },
  '0026_audit_filters': { up: auditFilters },
  '0027_erasures_with_choice': { up: (db) => erasuresWithChoice(db, types) },
  '0028_link_fields': { up: (db) => linkFields(db, types) },
  '0029_link_texts': { up: (db) => linkTexts(db, types) },
  '0030_imports': { up: (db) => imports(db, types) },
  '0031_receiver_kinds': { up: (db) => receiverKinds(db, types) },
  '0032_networks': { up: (db) => networks(db, types) },
  '0033_network_counts': { up: (db) => networkCounts(db, types) },
  '0034_accuracy': { up: (db) => accuracy(db, types) },
  '0035_revenuecat': { up: (db) => revenuecat(db, types) },
  '0036_transactions': { up: (db) => transactions(db, types) },
  '0037_watched_hosts': { up: (db) => watchedHosts(db, types) },
  '0038_former_secrets': { up: (db) => formerSecrets(db, types) },
  '0039_moves_to_sqlite': { up: (db) => movesToSqlite(db, types) },
});
