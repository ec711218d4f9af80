import type { Foundation } from '../foundation.ts';
import { secretOwner } from './webhook.ts';

const MAX_READ = 10_000;

/** Across apps: the enabled webhooks and destinations whose secret cannot be decrypted, among the first 10,000. */
export async function countUnsigned({ db, secrets }: Pick<Foundation, 'db' | 'secrets'>): Promise<number> {
  const signed = await db
    .selectFrom('webhooks')
    .select(['app_id', 'id', 'secret'])
    .where('kind', 'in', ['webhook', 'destination'])
    .where('enabled', '=', 1)
    .where('template', 'is', null)
    .where('secret', 'is not', null)
    .limit(MAX_READ)
    .execute();
  return signed.filter((webhook) => secrets.decrypt(webhook.secret ?? '', secretOwner(webhook)) === null)
    .length;
}
