/** Whose a purchase is: the install that bought, or the customer's. */
import { type Db, toFlag } from '../db/index.ts';
import { findMarkedEvent, insertMark, listMarkedEvents, transactionMarkOf } from '../events/index.ts';
import type { Foundation } from '../foundation.ts';
import { listCustomers, listKnown } from './customers.ts';
import { type Purchase, type StoreTransaction, signed } from './notification.ts';

/** An event and whose it is. */
export interface OneOfCustomer {
  readonly id: string;
  readonly purchase: Purchase;
  readonly isSandbox: boolean;
  readonly customerIds: readonly string[];
  readonly transaction: StoreTransaction;
}

interface Owner {
  readonly installId: string;
  /** Left out: the install's. */
  readonly userId?: string;
}

interface Owners {
  /** The likeliest first; none for an unknown customer. */
  readonly owners: readonly Owner[];
  readonly revenue: Purchase['revenue'];
}

type Deps = Pick<Foundation, 'db' | 'secrets'>;

/**
 * The install that bought with this transaction, or began its subscription, unless it is known to be another user's; then
 * the customer's installs. So what a reinstall or a new phone pays and takes back stays with the campaign that was paid for
 * it.
 */
export async function findOwners(deps: Deps, appId: string, one: OneOfCustomer): Promise<Owners> {
  const sandbox = toFlag(one.isSandbox);
  const customers = await listCustomers(deps.db, appId, { customerIds: one.customerIds, sandbox });
  const marks = marksOfTransaction(deps, appId, one);
  const marked = await listMarkedEvents(deps.db, appId, marks);
  const installs = await listKnown(deps.db, appId, {
    sandbox,
    ids: marked.map(({ install_id }) => install_id),
  });
  const user = customers.find(({ isUser }) => isUser)?.customerId;
  const held = marks.flatMap((mark): Owner[] => {
    const event = marked.find((each) => each.mark === mark);
    if (event === undefined || !installs.has(event.install_id)) return [];
    const buyer = event.user_id ?? installs.get(event.install_id) ?? null;
    const isOfOther = buyer !== null && customers.length > 0 && !one.customerIds.includes(buyer);
    const userId = user ?? event.user_id;
    return isOfOther ? [] : [{ installId: event.install_id, ...(userId !== null && { userId }) }];
  });
  const known = customers.map(
    ({ customerId, installId, isUser }): Owner => ({ installId, ...(isUser && { userId: customerId }) }),
  );
  return {
    owners: [...held, ...known],
    revenue: revenueOf(deps, appId, one, marked),
  };
}

/** Of a refund without a price, that of its purchase. */
function revenueOf(
  deps: Deps,
  appId: string,
  { isSandbox, purchase, transaction: { id, unpriced } }: OneOfCustomer,
  marked: Awaited<ReturnType<typeof listMarkedEvents>>,
): Purchase['revenue'] {
  if (unpriced === null || id === null) return purchase.revenue ?? null;
  const mark = transactionMarkOf(deps, { app_id: appId, sandbox: toFlag(isSandbox) }, id);
  const bought = marked.find((each) => each.mark === mark);
  if (!bought?.revenue_amount || !bought.revenue_currency) return null;
  return signed({ amount: bought.revenue_amount, currency: bought.revenue_currency }, unpriced);
}

/** Those by which an event of the same transaction or subscription is found, the likeliest first. */
export function marksOfTransaction(
  { secrets }: Pick<Foundation, 'secrets'>,
  appId: string,
  { isSandbox, transaction: { id, originalId } }: Pick<OneOfCustomer, 'isSandbox' | 'transaction'>,
): string[] {
  const owner = { app_id: appId, sandbox: toFlag(isSandbox) };
  const markOf = (transactionId: string) => transactionMarkOf({ secrets }, owner, transactionId);
  if (originalId === null) return id === null ? [] : [markOf(id)];
  const begun = subscriptionMark({ secrets }, appId, { isSandbox, originalId });
  return [...new Set([...(id === null ? [] : [markOf(id)]), begun, markOf(originalId)])];
}

/** Marks the install of a purchase as the one that later purchases of its subscription belong to, unless one is marked. */
export async function markSubscription(
  { db, secrets }: { db: Db } & Pick<Foundation, 'secrets'>,
  appId: string,
  {
    id,
    installId,
    isSandbox,
    transaction: { originalId, isPurchase },
  }: OneOfCustomer & { installId: string },
): Promise<void> {
  if (!isPurchase || originalId === null) return;
  const event_id = await findMarkedEvent(db, appId, secrets.markId(appId, id));
  if (event_id === undefined) return;
  const mark = subscriptionMark({ secrets }, appId, { isSandbox, originalId });
  await insertMark(db, { app_id: appId, mark, event_id, install_id: installId });
}

function subscriptionMark(
  { secrets }: Pick<Foundation, 'secrets'>,
  appId: string,
  { isSandbox, originalId }: { isSandbox: boolean; originalId: string },
): string {
  return secrets.markId(appId, `${isSandbox ? 'sandbox ' : ''}subscription ${originalId}`);
}
