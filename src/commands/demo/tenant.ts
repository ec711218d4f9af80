/** The app of the demo, with its keys, links and webhooks. */

import type { AppRow } from '../../apps/app.ts';
import { storeApp } from '../../apps/create-app.ts';
import { findApp, listApps } from '../../apps/index.ts';
import { operatorOf } from '../../auth/actor.ts';
import type { Actor } from '../../auth/index.ts';
import { createKey } from '../../auth/keys.ts';
import type { Db } from '../../db/index.ts';
import { AppError, StartError } from '../../errors.ts';
import type { Foundation } from '../../foundation.ts';
import { DAY_MS } from '../../lib/clock.ts';
import { isUuid } from '../../lib/ids.ts';
import { storeLink } from '../../links/create-link.ts';
import type { CreateLinkInput } from '../../links/schemas.ts';
import { insertNewWebhook } from '../../webhooks/change-webhook.ts';
import type { WebhookRow } from '../../webhooks/webhook.ts';
import type { Random } from '../traffic/random.ts';
import { LINKS, type LinkPlan } from './links.ts';
import { momentAt } from './recorder.ts';

const NAME = 'Demo';
const STORE_ID = '6400000001';
const FIELDS = {
  iosBundleId: 'com.example.shop',
  iosTeamId: 'ABCDE12345',
  iosAppStoreId: STORE_ID,
  iosDestination: `https://apps.apple.com/app/id${STORE_ID}`,
  androidPackage: 'com.example.shop',
  androidDestination: 'https://play.google.com/store/apps/details?id=com.example.shop',
  androidCertFingerprints: [Array.from({ length: 32 }, () => 'A1').join(':')],
  fallbackUrl: 'https://shop.example/app',
  urlScheme: 'exampleshop',
};
const WEBHOOKS = [
  {
    madeOnDay: 2,
    url: 'https://api.shop.example/hooks/throughline',
    secret: 'a secret for the demo only',
    events: ['install.attributed', 'install.organic', 'open.attributed'],
  },
  {
    madeOnDay: 30,
    url: 'https://hooks.chat.example/services/marketing',
    template: 'slack',
    events: ['install.attributed'],
  },
] as const;

export interface Tenant {
  readonly app: AppRow;
  readonly actor: Actor;
  /** Short codes by those of the plan, which may be taken. */
  readonly codes: ReadonlyMap<LinkPlan, string>;
  readonly webhooks: readonly WebhookRow[];
  readonly keys: { readonly live: string; readonly live_publishable: string };
}

/**
 * @param appId of an existing app; null finds or makes the app “Demo”.
 * @throws StartError if the app has records, or does not exist.
 */
export async function makeTenant(
  foundation: Foundation,
  { appId, random, startMs }: { appId: string | null; random: Random; startMs: number },
): Promise<Tenant> {
  const app = (await findEmptyApp(foundation, appId)) ?? (await makeApp(foundation, random, startMs));
  const actor = await operatorOf(foundation.db, app.id, 'command_line');
  const codes = new Map<LinkPlan, string>();
  for (const plan of LINKS)
    codes.set(plan, await makeLink(foundation, { actor, app, random, startMs }, plan));
  const webhooks: WebhookRow[] = [];
  for (const { madeOnDay, events, ...webhook } of WEBHOOKS) {
    const deps = { ...foundation, ...momentAt(startMs + madeOnDay * DAY_MS, random) };
    const input = { ...webhook, events: [...events] };
    const created = await foundation.db
      .transaction()
      .execute((tx) => insertNewWebhook(tx, deps, { actor, input }));
    webhooks.push(created.webhook);
  }
  const makeKey = async (kind: 'live' | 'live_publishable') => {
    const deps = { ...foundation, ...momentAt(startMs, random) };
    return (await createKey(deps, { appId: app.id, kind, by: 'command_line' })).key;
  };
  const keys = { live: await makeKey('live'), live_publishable: await makeKey('live_publishable') };
  return { app, actor, codes, webhooks, keys };
}

async function findEmptyApp({ db, config }: Foundation, appId: string | null): Promise<AppRow | null> {
  const app =
    appId === null
      ? (await listApps(db)).find(({ name }) => name === NAME)
      : isUuid(appId)
        ? await findApp(db, appId.toLowerCase())
        : undefined;
  if (app === undefined) {
    if (appId === null) return null;
    throw new StartError(`No app has the ID ${appId}. “throughline apps list” shows all apps.`);
  }
  if (await hasRecords(db, app.id))
    throw new StartError(
      `The app “${app.name}” has records already; look at ${config.publicUrl}/console/${app.id}. To fill another app, make one (npx throughline apps create name="Demo 2") and name its ID (npx throughline demo --app APP_ID).`,
    );
  return app;
}

async function hasRecords(db: Db, appId: string): Promise<boolean> {
  for (const table of ['clicks', 'installs', 'opens', 'events'] as const) {
    const record = await db.selectFrom(table).select('id').where('app_id', '=', appId).limit(1).execute();
    if (record.length > 0) return true;
  }
  return false;
}

async function makeApp(foundation: Foundation, random: Random, startMs: number): Promise<AppRow> {
  const deps = { ...foundation, ...momentAt(startMs, random) };
  const input = { name: NAME, ...FIELDS };
  return await foundation.db.transaction().execute((tx) => storeApp(tx, deps, { input, by: 'command_line' }));
}

interface LinkMaking {
  readonly actor: Actor;
  readonly app: AppRow;
  readonly random: Random;
  readonly startMs: number;
}

/** @returns the short code; another one if that of the plan is taken, as by an earlier demo. */
async function makeLink(
  { db }: Foundation,
  { actor, app, random, startMs }: LinkMaking,
  plan: LinkPlan,
): Promise<string> {
  const moment = momentAt(startMs + plan.madeOnDay * DAY_MS, random);
  const input: CreateLinkInput = {
    deepLinkPath: plan.path,
    campaignId: plan.campaign,
    ogTitle: plan.title,
    ogDescription: plan.description,
    expiresInDays: plan.endsAfterDays,
    // An app that was made without stores gets links that lead somewhere.
    ...(app.ios_destination === null && { iosDestination: FIELDS.iosDestination }),
    ...(app.android_destination === null && { androidDestination: FIELDS.androidDestination }),
    ...(app.fallback_url === null && { fallbackUrl: FIELDS.fallbackUrl }),
  };
  for (let count = 1; ; count++)
    try {
      const shortCode = count === 1 ? plan.code : `${plan.code}-${count}`;
      await db.transaction().execute((tx) => storeLink(tx, moment, { actor, ...input, shortCode }));
      return shortCode;
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'link.code_taken')) throw error;
    }
}
