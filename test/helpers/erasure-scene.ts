/** Helpers of the erasure tests: a person with a marker in every field, and a search of all tables and files. */
import assert from 'node:assert/strict';
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Place } from './engines.ts';
import type { RunningServer } from './process.ts';
import { queriesStored, queryStored, type StoredRow } from './stored.ts';
import { waitFor } from './wait-for.ts';
import { callServer } from './webhook-scene.ts';

export const LIVE_KEY = 'svc_live_0123456789abcdef';
const TEST_KEY = 'svc_test_0123456789abcdef';
const SDK_KEY = 'svc_live_pub_0123456789abcdef';
/** Tests set the caller's address with `X-Forwarded-For`. */
export const KEYS_ENV = {
  BOOTSTRAP_LIVE_KEY: LIVE_KEY,
  BOOTSTRAP_TEST_KEY: TEST_KEY,
  BOOTSTRAP_SDK_KEY: SDK_KEY,
  TRUST_PROXY: '1',
};

export const RECORDS = ['clicks', 'installs', 'opens', 'events'] as const;

/** A unique text. */
export const newMarker = () => `zq${randomBytes(8).toString('hex')}`;

/** Unique in this run: an erasure by address includes the unclaimed clicks of every visitor with that address. */
export function newAddress(): string {
  addressesGiven += 1;
  return `100.${64 + (Math.floor(addressesGiven / 150 ** 2) % 64)}.${100 + (Math.floor(addressesGiven / 150) % 150)}.${100 + (addressesGiven % 150)}`;
}
let addressesGiven = randomInt(64 * 150 ** 2);

export interface Caller {
  readonly server: RunningServer;
  readonly address: string;
}

/** Sends a request from the caller's address and returns the response, whatever its status. */
export async function ask(
  { server, address }: Caller,
  path: string,
  { method = 'GET', headers = {}, body }: { method?: string; headers?: object; body?: object } = {},
): Promise<{ status: number; location: string; text: string }> {
  const answer = await fetch(server.url + path, {
    method,
    redirect: 'manual',
    headers: { 'x-forwarded-for': address, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return {
    status: answer.status,
    location: answer.headers.get('location') ?? '',
    text: await answer.text(),
  };
}

export async function sdk(caller: Caller, path: string, body: object, headers: object = {}) {
  const { status, text } = await ask(caller, `/v1/sdk/${path}`, {
    method: 'POST',
    headers: { 'x-api-key': SDK_KEY, ...headers },
    body,
  });
  return { status, body: text === '' ? null : JSON.parse(text) };
}

/** Taps a link to Play. @returns the click's ID. */
export async function tapOn(caller: Caller, shortCode: string, headers: object): Promise<string> {
  const { location } = await ask(caller, `/l/${shortCode}`, { headers });
  const referrer = new URL(location).searchParams.get('referrer') ?? '';
  return new URLSearchParams(referrer).get('svc_click_id') ?? '';
}

/** @returns the IDs of the erasure requests. */
export async function requestErasure(server: RunningServer, body: object, key = LIVE_KEY): Promise<string[]> {
  return (await callServer(server, key, ['POST', '/v1/privacy/erase', body])).requestIds;
}

export async function completed(server: RunningServer, requestIds: readonly string[]): Promise<void> {
  for (const id of requestIds)
    await waitFor(`erasure ${id} is completed`, async () => {
      const request = await callServer(server, LIVE_KEY, ['GET', `/v1/privacy/erase/${id}`]);
      return request.status === 'completed' ? true : undefined;
    });
}

/**
 * Every row and every file of the data directory that contains one of the texts. On SQLite the files hold all rows, so
 * a test may leave a large table out.
 */
export async function whereKept(place: Place, texts: readonly string[], without = ''): Promise<string[]> {
  const found = filesWith(place.dataDir, texts);
  const tables = (await tablesOf(place)).filter((name) => name !== without);
  const rows = await queriesStored(
    place,
    tables.map((table) => `select * from "${table}"`),
  );
  for (const [index, table] of tables.entries())
    for (const row of rows[index] ?? []) {
      const text = JSON.stringify(row);
      for (const each of texts) if (text.includes(each)) found.push(`${table}: ${each} in ${text}`);
    }
  return found;
}

export function filesWith(directory: string, texts: readonly string[]): string[] {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return files.flatMap(({ parentPath, name }) => {
    const path = join(parentPath, name);
    // A running server may remove journal files at any time.
    const bytes = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
    return texts.filter((text) => bytes.includes(text)).map((text) => `${name}: ${text}`);
  });
}

export async function tablesOf(place: Place): Promise<string[]> {
  const rows = await queryStored(
    place,
    place.databaseUrl === null
      ? `select name as t from sqlite_master where type = 'table'`
      : `select table_name as t from information_schema.tables where table_schema = 'public'`,
  );
  return rows.map(({ t }) => String(t));
}

/** Number of records by kind, campaign and day. */
export async function countsByDay(place: Place): Promise<StoredRow[]> {
  const kinds = [
    ['clicks', 'campaign_id', 'clicked_at'],
    ['installs', 'campaign_id', 'installed_at'],
    ['opens', 'campaign_id', 'opened_at'],
    ['events', 'event_name', 'created_at'],
  ];
  return await queryStored(
    place,
    kinds
      .map(
        ([table, campaign, time]) =>
          `select '${table}' as kind, ${campaign} as campaign, substr(cast(${time} as text), 1, 10) as day, count(*) as n
           from ${table} group by 1, 2, 3`,
      )
      .join(' union all ')
      .concat(' order by 1, 2, 3'),
  );
}

export interface MarkedPerson {
  readonly marker: string;
  readonly address: string;
  readonly userId: string;
  readonly installId: string;
}

/** A person with the marker in every text field, and one address. */
export async function plantPerson(server: RunningServer, shortCode: string): Promise<MarkedPerson> {
  const [marker, address] = [newMarker(), newAddress()];
  const caller = { server, address };
  const userId = `user ${randomUUID()}`;
  const headers = {
    'user-agent': `Mozilla/5.0 (Linux; Android 10; ${marker}) Chrome/141.0.0.0 Mobile Safari/537.36`,
    'accept-language': `en-US,x-${marker};q=0.9`,
    referer: `https://example.com/${marker}`,
    cookie: `c=${marker}`,
    'sec-ch-ua-model': `"Pixel ${marker}"`,
    'sec-ch-ua-platform-version': `"10 ${marker}"`,
  };
  const clickId = await tapOn(caller, shortCode, headers);
  await ask(caller, `/l/${shortCode}?utm_content=${marker}`, { headers });
  await ask(caller, `/l/${shortCode}`, { method: 'HEAD', headers });
  await ask(caller, `/l/${shortCode}`, { headers: { 'user-agent': `Googlebot/2.1 ${marker}` } });
  await ask(caller, `/l/unknown-${marker}`, { headers });

  const fingerprint = {
    platform: 'ANDROID',
    ipAddress: address,
    userAgent: `Shop/7 (${marker})`,
    osVersion: `10 ${marker}`,
    deviceModel: `Pixel ${marker}`,
    locale: `en-${marker}`,
    timezone: `Europe/${marker}`,
    // Counts by version stay.
    appVersion: '7.0',
    sdkVersion: `1.${marker}`,
    screenWidth: 412,
  };
  const installReferrer = `utm_source=${marker}&svc_click_id=${clickId}`;
  const { installId } = (await sdk(caller, 'install', { fingerprint, installReferrer }, headers)).body;
  await sdk(caller, 'identify', { installId, userId }, headers);
  const later = await tapOn(caller, shortCode, headers);
  await sdk(caller, 'open', { fingerprint, installId, userId, clickId: later }, headers);
  const properties = { mail: marker, nested: { [`key ${marker}`]: [{ deep: `${marker}!` }] } };
  await sdk(caller, 'event', { installId, eventName: 'purchase', properties, userId }, headers);
  const events = [{ installId, eventName: 'level', properties }];
  await sdk(caller, 'events', { events }, headers);
  // Rejected requests and dry runs are not recorded.
  await sdk(caller, 'identify', { installId: marker, userId: marker }, headers);
  await sdk(caller, 'event', { installId: randomUUID(), eventName: marker, userId, properties }, headers);
  await sdk(caller, 'resolve', { url: `${server.url}/l/${shortCode}?m=${marker}`, installId }, headers);
  await ask(caller, '/v1/debug/attribution', {
    method: 'POST',
    headers: { 'x-api-key': LIVE_KEY },
    body: { apiKey: LIVE_KEY, fingerprint, installReferrer },
  });
  return { marker, address, userId, installId };
}

/** The texts that a search must not find: the person's marker and identifiers. */
export async function textsOf(place: Place, { marker, address, userId }: MarkedPerson): Promise<string[]> {
  const like = `select ip_hash from clicks where user_agent like '%${marker}%' limit 1`;
  const hash = await waitFor(
    'the clicks are stored',
    async () => (await queryStored(place, like))[0]?.ip_hash,
  );
  return [marker, address, userId, String(hash)];
}

/**
 * Asserts that none of the texts is stored; polls, since journal segments are removed shortly after they are applied.
 */
export async function assertGone(place: Place, texts: readonly string[], without = ''): Promise<void> {
  let kept = await whereKept(place, texts, without);
  for (let looks = 0; kept.length > 0 && looks < 50; looks++) {
    await sleep(100);
    kept = await whereKept(place, texts, without);
  }
  assert.deepEqual(kept, []);
}

/** Removes the leases of a killed process, which would expire within a minute. */
export async function outlast(place: Place): Promise<void> {
  if (place.databaseUrl === null) return;
  await queryStored(place, 'delete from leases');
  await queryStored(place, 'delete from journals');
}
