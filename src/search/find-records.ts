import type { Actor } from '../auth/index.ts';
import type { Db } from '../db/index.ts';
import { findMarkedEvent } from '../events/index.ts';
import type { Foundation } from '../foundation.ts';
import { type IdRange, isUuid } from '../lib/ids.ts';
import { CLICKS, EVENTS, findItemsInRange, INSTALLS, OPENS } from '../records/index.ts';
import { type Found, MAX_OF_TYPE } from './found.ts';

/** Installs, opens, events and clicks with an id in the range, erased ones included. */
export async function findRecords(db: Db, actor: Actor, range: IdRange): Promise<Found[]> {
  const page = { range, limit: MAX_OF_TYPE };
  const [installs, opens, clicks, events] = await Promise.all([
    findItemsInRange(db, actor, INSTALLS, page),
    findItemsInRange(db, actor, OPENS, page),
    findItemsInRange(db, actor, CLICKS, page),
    findEvents(db, actor, range),
  ]);
  const results: Found['result'][] = [
    ...installs.map((item) => ({
      ...{
        type: 'install' as const,
        id: item.id,
        label: labelOf(deviceOf(item), item),
        at: item.installedAt,
      },
      ...{ installId: item.id, ...erasureOf(item) },
    })),
    ...opens.map((item) => ({
      ...{ type: 'open' as const, id: item.id, label: labelOf(deviceOf(item), item), at: item.openedAt },
      ...(item.installId !== null && { installId: item.installId }),
      ...erasureOf(item),
    })),
    ...clicks.map((item) => ({
      ...{ type: 'click' as const, id: item.id, label: labelOf(item.platform, item), at: item.clickedAt },
      ...erasureOf(item),
    })),
  ];
  const isWhole = range.from === range.to;
  return [...results.map((result) => ({ isWhole, result })), ...events];
}

async function findEvents(db: Db, actor: Actor, range: IdRange): Promise<Found[]> {
  const items = await findItemsInRange(db, actor, EVENTS, { range, limit: MAX_OF_TYPE });
  return items.map((item) => ({
    isWhole: range.from === range.to,
    result: {
      ...{ type: 'event', id: item.id, label: labelOf(item.eventName, item), at: item.createdAt },
      ...{ installId: item.installId, ...erasureOf(item) },
    },
  }));
}

/** The event to which the app gave the id. */
export async function findEventOfApp(
  { db, secrets }: Pick<Foundation, 'db' | 'secrets'>,
  actor: Actor,
  text: string,
): Promise<Found[]> {
  if (!isUuid(text)) return [];
  const id = await findMarkedEvent(db, actor.appId, secrets.markId(actor.appId, text.toLowerCase()));
  return id === undefined ? [] : await findEvents(db, actor, { from: id, to: id });
}

interface Item {
  readonly shortCode: string | null;
  readonly campaignId: string | null;
  readonly erasedAt: string | null;
}

/** Such as `iPhone 16 Pro, /spring, spring-sale`. */
function labelOf(first: string | null, { shortCode, campaignId }: Item): string {
  const parts = [first, shortCode === null ? null : `/${shortCode}`, campaignId];
  return parts.filter((part) => part !== null).join(', ');
}

function deviceOf(item: {
  readonly deviceName: string | null;
  readonly deviceModel: string | null;
  readonly platform: string;
}): string {
  return item.deviceName ?? item.deviceModel ?? PLATFORMS[item.platform] ?? item.platform;
}

const PLATFORMS: Readonly<Record<string, string>> = { ANDROID: 'Android', IOS: 'iOS' };

function erasureOf({ erasedAt }: Item) {
  return erasedAt === null ? {} : { erasedAt };
}
