/** Clicks, installs, opens and events with random values of few, so that every filter has some of them. */
import { randomInt, randomUUID } from 'node:crypto';
import { type Database, insertMany } from '../../src/db/index.ts';
import { isoTime } from '../../src/lib/clock.ts';
import type { TestApp, World } from './world.ts';

type Rows = { readonly [T in 'clicks' | 'installs' | 'opens' | 'events']: readonly Database[T][] };

export const pick = <T>(values: readonly T[]): T => values[randomInt(values.length)] as T;

const utm = (source: string | null, medium: string | null, campaign: string | null) =>
  JSON.stringify({ source, medium, campaign, term: null, content: null });
const UTMS = [null, utm('mail', 'email', null), utm('mail', null, 'a "b"'), utm('Mail', 'email', 'sale')];
export const INVITERS = [
  '01985f2e-7a34-7c1b-9d2e-3f4a5b6c7d8e',
  '01985f2e-7a34-7c1b-9d2e-3f4a5b6c7d8f',
] as const;
const OS_VERSIONS = [null, '18.1', '18', '1.8', '180', 'Tiramisu', '1234567890'];
const APP_VERSIONS = [undefined, '', '1.2.0', '1.20'];
const AMOUNTS = [null, null, '19.99', '0.0001', '0', '-5'];

interface Scene {
  readonly world: Pick<World, 'service' | 'clock'>;
  readonly app: TestApp;
  readonly linkIds: readonly string[];
}

const nowOf = ({ world }: Scene) => isoTime(world.clock.nowMs());

/** @param linkIds of the app. @returns what it stored, oldest first. */
export async function insertRandomRecords(
  world: Pick<World, 'service' | 'clock'>,
  app: TestApp,
  { linkIds, count }: { linkIds: readonly string[]; count: number },
): Promise<Rows> {
  const scene = { world, app, linkIds };
  const many = <T>(make: (scene: Scene) => T): T[] =>
    Array.from({ length: count }, () => {
      world.clock.advance(randomInt(1, 1_000));
      return make(scene);
    });
  const clicks = many(randomClick);
  const installs = many(randomInstall);
  const opens = many(randomOpen).map((open) => ({ ...open, install_id: pick([null, pick(installs).id]) }));
  const events = many(randomEvent).map((event) => ({ ...event, install_id: pick(installs).id }));
  for (const install of installs) {
    const paid = events.find((event) => event.install_id === install.id && Number(event.revenue_amount) > 0);
    if (paid !== undefined && install.existing_user !== 1)
      install.first_purchase = JSON.stringify({ at: paid.created_at, eventName: paid.event_name });
  }
  const { db } = world.service;
  await insertMany(db, 'clicks', clicks);
  await insertMany(db, 'installs', installs);
  await insertMany(db, 'opens', opens);
  await insertMany(db, 'events', events);
  return { clicks, installs, opens, events };
}

function common(scene: Scene) {
  const [erased, erased_at] = pick([
    [null, null],
    [null, null],
    [1 as const, nowOf(scene)],
  ] as const);
  return {
    ...{ app_id: scene.app.id, sandbox: pick([0, 0, 1] as const), erased, erased_at },
    ...{ campaign_id: pick([null, 'spring', 'Spring']), country: pick([null, 'DE', 'JP']) },
  };
}

function source(erased: number | null) {
  return {
    referrer: pick([null, 'news.example', 'shop.example']),
    utm: erased === 1 ? null : pick(UTMS),
  };
}

function randomClick(scene: Scene) {
  const start = common(scene);
  return {
    ...{ ...start, ...source(start.erased), id: scene.world.service.ids.next() },
    ...{ link_id: pick(scene.linkIds), clicked_at: nowOf(scene) },
    ...{ visitor: pick(['human', 'human', 'crawler']), visitor_reason: null, query: null, ip_hash: null },
    ...{ platform: pick(['IOS', 'ANDROID', null]), user_agent: null, accept_language: null },
    ...{ device_model: null, fingerprint: null, signals_at: null },
    ...{ claimed_by_install: null, claimed_by_open: null, rule_id: null, path_rest: null },
  };
}

function attributed(scene: Scene, method: string) {
  const start = common(scene);
  const isKnown = start.erased === null;
  return {
    ...{ ...start, ...source(start.erased), id: pick([scene.world.service.ids.next(), randomUUID()]) },
    ...{ link_id: pick([null, ...scene.linkIds]), user_id: isKnown ? pick([null, 'ada', 'Ada']) : null },
    ...{ ip_hash: null, user_agent: null, device_model: null, locale: null, confidence: null },
    ...{ platform: pick(['IOS', 'ANDROID']), os_version: isKnown ? pick(OS_VERSIONS) : null },
    deterministic_only: null,
    fingerprint: isKnown ? JSON.stringify({ appVersion: pick(APP_VERSIONS) }) : null,
    ...{ attribution_method: method, click_id: null, answer: '{}', trace: '{}' },
  };
}

function randomInstall(scene: Scene) {
  return {
    ...attributed(scene, pick(['CLICK_ID', 'FINGERPRINT', 'ORGANIC'])),
    ...{ installed_at: nowOf(scene), last_open: null, active_days: 1 },
    ...{ existing_user: pick([null, 0, 1] as const), first_purchase: null as string | null },
    ...{ network: null, network_name: null, network_campaign: null, network_trace: null },
    ...{ google_click_ids: null, consented_at: null },
    invited_by: pick([null, ...INVITERS]),
    identifiers: pick([null, '{"vendorId":"v-1"}']),
  };
}

function randomOpen(scene: Scene) {
  return { ...attributed(scene, pick(['CLICK_ID', 'DIRECT', 'ORGANIC'])), opened_at: nowOf(scene) };
}

function randomEvent(scene: Scene) {
  const start = common(scene);
  const amount = pick(AMOUNTS);
  return {
    ...{ ...start, id: scene.world.service.ids.next(), client_event_id: null },
    ...{ event_name: pick(['purchase', 'level', 'Level']), properties: '{}' },
    ...{ link_id: pick([null, ...scene.linkIds]), platform: pick(['IOS', 'ANDROID']) },
    user_id: start.erased === null ? pick([null, 'ada', 'Ada']) : null,
    ...{ occurred_at: nowOf(scene), created_at: nowOf(scene), last_link_id: null, last_campaign_id: null },
    ...{ revenue_amount: amount, revenue_currency: amount === null ? null : 'EUR' },
  };
}
