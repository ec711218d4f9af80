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
const OS_VERSIONS = [null, '18.1', '18', '1.8', '180', 'Tiramisu'];
const APP_VERSIONS = [undefined, '', '1.2.0', '1.20'];
const AMOUNTS = [null, null, '19.99', '0.0001', '0', '-5'];

/** @param linkIds of the app. @returns what it stored, oldest first. */
export async function insertRandomRecords(
  { service, clock }: Pick<World, 'service' | 'clock'>,
  app: TestApp,
  { linkIds, count }: { linkIds: readonly string[]; count: number },
): Promise<Rows> {
  const { db, ids } = service;
  const many = <T>(make: () => T): T[] =>
    Array.from({ length: count }, () => {
      clock.advance(randomInt(1, 1_000));
      return make();
    });
  const now = () => isoTime(clock.nowMs());
  const common = () => ({
    ...{ app_id: app.id, sandbox: pick([0, 0, 1] as const), campaign_id: pick([null, 'spring', 'Spring']) },
    country: pick([null, 'DE', 'JP']),
    ...pick([
      { erased: null, erased_at: null },
      { erased: null, erased_at: null },
      { erased: 1 as const, erased_at: now() },
    ]),
  });
  const source = ({ erased }: { erased: number | null }) => ({
    referrer: pick([null, 'news.example', 'shop.example']),
    utm: erased === 1 ? null : pick(UTMS),
  });
  const clicks = many(() => {
    const start = common();
    return {
      ...{ ...start, ...source(start), id: ids.next(), link_id: pick(linkIds), clicked_at: now() },
      ...{ visitor: pick(['human', 'human', 'crawler']), visitor_reason: null, query: null, ip_hash: null },
      ...{ platform: pick(['IOS', 'ANDROID', null]), user_agent: null, accept_language: null },
      ...{ device_model: null, fingerprint: null, signals_at: null },
      ...{ claimed_by_install: null, claimed_by_open: null },
    };
  });
  const attributed = (method: string) => {
    const start = common();
    const isKnown = start.erased === null;
    return {
      ...{
        ...start,
        ...source(start),
        id: pick([ids.next(), randomUUID()]),
        link_id: pick([null, ...linkIds]),
      },
      ...{ user_id: isKnown ? pick([null, 'ada', 'Ada']) : null, platform: pick(['IOS', 'ANDROID']) },
      ...{ ip_hash: null, user_agent: null, device_model: null, locale: null, confidence: null },
      os_version: isKnown ? pick(OS_VERSIONS) : null,
      fingerprint: isKnown ? JSON.stringify({ appVersion: pick(APP_VERSIONS) }) : null,
      ...{ attribution_method: method, click_id: null, answer: '{}', trace: '{}' },
    };
  };
  const installs = many(() => ({
    ...attributed(pick(['CLICK_ID', 'FINGERPRINT', 'ORGANIC'])),
    ...{
      installed_at: now(),
      last_open: null,
      active_days: 1,
      existing_user: pick([null, 0, 1] as const),
      first_purchase: null as string | null,
    },
  }));
  const opens = many(() => ({
    ...attributed(pick(['CLICK_ID', 'DIRECT', 'ORGANIC'])),
    ...{ opened_at: now(), install_id: pick([null, ...installs.map(({ id }) => id)]) },
  }));
  const events = many(() => {
    const { erased, ...start } = common();
    const amount = pick(AMOUNTS);
    return {
      ...{ ...start, erased, id: ids.next(), client_event_id: null, install_id: pick(installs).id },
      ...{
        event_name: pick(['purchase', 'level', 'Level']),
        properties: '{}',
        link_id: pick([null, ...linkIds]),
      },
      ...{ user_id: erased === null ? pick([null, 'ada', 'Ada']) : null, platform: pick(['IOS', 'ANDROID']) },
      ...{ occurred_at: now(), created_at: now(), last_link_id: null, last_campaign_id: null },
      ...{ revenue_amount: amount, revenue_currency: amount === null ? null : 'EUR' },
    };
  });
  for (const install of installs) {
    const paid = events.find((event) => event.install_id === install.id && Number(event.revenue_amount) > 0);
    if (paid !== undefined && install.existing_user !== 1)
      install.first_purchase = JSON.stringify({ at: paid.created_at, eventName: paid.event_name });
  }
  const rows = { clicks, installs, opens, events };
  await insertMany(db, 'clicks', clicks);
  await insertMany(db, 'installs', installs);
  await insertMany(db, 'opens', opens);
  await insertMany(db, 'events', events);
  return rows;
}
