/** Which customers of RevenueCat are users or installs of the app. */
import { type Db, type Flag, isAmong, isAmongTexts } from '../db/index.ts';
import { isUuid } from '../lib/ids.ts';

/** A customer who is a user of the app, or one of its installs. */
interface KnownCustomer {
  readonly customerId: string;
  readonly installId: string;
  /** Whether the ID is a user's; otherwise the install's. */
  readonly isUser: boolean;
}

interface Customers {
  readonly customerIds: readonly string[];
  readonly sandbox: Flag;
}

/** Of a customer with more, the newest. */
const MAX_INSTALLS = 1_000;

/**
 * Those of the IDs that are known, in their order: as the user of installs, the newest first, as an install's own ID, or as
 * the user of events, whose install belongs to another user by now.
 */
export async function listCustomers(
  db: Db,
  appId: string,
  { customerIds, sandbox }: Customers,
): Promise<KnownCustomer[]> {
  const now = await listInstallsOfCustomers(db, appId, { customerIds, sandbox });
  const known = new Map(now.map((each) => [each.customerId, each]));
  const others = customerIds.filter((id) => !known.has(id));
  for (const each of await listFormerUsers(db, appId, { customerIds: others, sandbox }))
    if (!known.has(each.customerId)) known.set(each.customerId, each);
  return customerIds.flatMap((id) => known.get(id) ?? []);
}

async function listInstallsOfCustomers(
  db: Db,
  appId: string,
  { customerIds, sandbox }: Customers,
): Promise<KnownCustomer[]> {
  const installs = selectInstalls(db, appId, sandbox);
  const ofUsers = await installs
    .where(isAmongTexts(db, 'user_id', customerIds))
    .orderBy('installed_at', 'desc')
    .orderBy('id', 'desc')
    .limit(MAX_INSTALLS)
    .execute();
  const ids = customerIds.filter(isUuid).map((id) => id.toLowerCase());
  const byId = ids.length === 0 ? [] : await installs.where(isAmong(db, 'id', ids)).execute();
  return customerIds.flatMap((customerId) => {
    const ofUser = ofUsers.find(({ user_id }) => user_id === customerId);
    const install = ofUser ?? byId.find(({ id }) => id === customerId.toLowerCase());
    return install === undefined
      ? []
      : { customerId, installId: install.id, isUser: install.user_id === customerId };
  });
}

/** The installs of users' events, the last used first. */
async function listFormerUsers(
  db: Db,
  appId: string,
  { customerIds, sandbox }: Customers,
): Promise<KnownCustomer[]> {
  if (customerIds.length === 0) return [];
  const used = await db
    .selectFrom('events')
    .select(['user_id', 'install_id'])
    .where('app_id', '=', appId)
    .where(isAmongTexts(db, 'user_id', customerIds))
    .where('sandbox', '=', sandbox)
    .groupBy(['user_id', 'install_id'])
    .orderBy(({ fn }) => fn.max('created_at'), 'desc')
    .limit(MAX_INSTALLS)
    .execute();
  const installs = await listKnown(db, appId, { sandbox, ids: used.map(({ install_id }) => install_id) });
  return used.flatMap(({ user_id, install_id }) =>
    user_id !== null && installs.has(install_id)
      ? { customerId: user_id, installId: install_id, isUser: true }
      : [],
  );
}

/** Those of the installs that are stored and not erased, with their user. */
export async function listKnown(
  db: Db,
  appId: string,
  { sandbox, ids }: { sandbox: Flag; ids: readonly string[] },
): Promise<ReadonlyMap<string, string | null>> {
  if (ids.length === 0) return new Map();
  const rows = await selectInstalls(db, appId, sandbox)
    .where(isAmong(db, 'id', ids))
    .execute();
  return new Map(rows.map(({ id, user_id }) => [id, user_id]));
}

function selectInstalls(db: Db, appId: string, sandbox: Flag) {
  return db
    .selectFrom('installs')
    .select(['id', 'user_id'])
    .where('app_id', '=', appId)
    .where('sandbox', '=', sandbox)
    .where('erased', 'is', null);
}
