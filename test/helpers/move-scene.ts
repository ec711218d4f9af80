/** A SQLite file with rows in every table, the service's responses about it, and the target of its move. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toJournalRow } from '../../src/click-log/click.ts';
import { JOURNAL_LIMITS } from '../../src/click-log/click-log.ts';
import { Journal } from '../../src/click-log/journal/index.ts';
import { isoTime } from '../../src/lib/clock.ts';
import { freshAddress } from './callers.ts';
import { makePlace, type Place } from './engines.ts';
import { WINNING_POSTBACK } from './postbacks.ts';
import { callCommand, runCommand } from './process.ts';
import { queryStored } from './stored.ts';
import { waitFor } from './wait-for.ts';
import { type Hook, RECEIVER_ENV, type Receiver } from './webhook-receiver.ts';
import { waitingFor } from './webhook-scene.ts';
import { newWebhook } from './webhooks.ts';
import { type Answer, type TestApp, World } from './world.ts';

/** Text that a careless copy corrupts: other scripts, quotes, JSON escapes, surrounding spaces, the empty string. */
const ODD = ' Schuhe “42” \\ \' " \t 👟 𝒵 \u2028 \u200f ǘ %00 $1 {null} ';
const PLAY = { androidDestination: 'https://play.google.com/store/apps/details?id=com.example' };
const LARGE = { text: '€'.repeat(5_000), deep: { list: [0.1, 1e21, -0, null, true, ''] } };

/** The data directory of a service on SQLite, and an empty PostgreSQL database. */
export interface MoveScene {
  readonly source: Place;
  readonly target: Place;
  /** The environment of `db move`, and of the service after it. */
  env(): Record<string, string>;
  remove(): Promise<void>;
}

export async function makeMoveScene(): Promise<MoveScene> {
  const source = await makePlace('sqlite');
  // On a Citus cluster the target is distributed before the move.
  const target = await makePlace('postgres', { isEmpty: process.env.TEST_CITUS_TEMPLATE === undefined });
  return {
    source,
    target,
    env: () => ({
      DATA_DIR: source.dataDir,
      DATABASE_URL: target.databaseUrl ?? '',
      SECRET_KEY: readFileSync(join(source.dataDir, 'secret-key'), 'utf8').trim(),
      LOG_LEVEL: 'silent',
    }),
    async remove() {
      await source.remove();
      await target.remove();
    },
  };
}

/** A database of PostgreSQL with its data directory, in which a move makes the SQLite file. */
export async function makeMoveBack(): Promise<Omit<MoveScene, 'env'>> {
  const source = await makePlace('postgres');
  const { DATABASE_URL: _url, ...env } = source.env;
  return { source, target: { ...source, env, databaseUrl: null }, remove: source.remove };
}

export async function callMove(scene: MoveScene, env: Record<string, string> = {}) {
  return await callCommand(['db', 'move'], { ...scene.env(), ...env });
}

export async function runMove(scene: MoveScene, env: Record<string, string> = {}) {
  return await runCommand(['db', 'move'], { ...scene.env(), ...env });
}

/** A service on the SQLite file, or on the target database of the move. */
export async function openOn(scene: MoveScene, engine: 'sqlite' | 'postgres'): Promise<World> {
  const env = engine === 'sqlite' ? scene.source.env : scene.env();
  const world = new World(engine, { ...RECEIVER_ENV, ...env });
  await world.open();
  return world;
}

/** IDs of the created records, to request them again. */
export interface Made {
  readonly app: TestApp;
  readonly shortCodes: readonly string[];
  readonly webhookId: string;
  readonly hook: Hook;
  readonly installs: readonly { body: Record<string, unknown>; answer: Answer }[];
  readonly link: { body: object; idempotencyKey: string; answer: Answer };
}

/** Fills the file by calling every endpoint that stores data. */
export async function fill(
  { source }: Pick<MoveScene, 'source'>,
  world: World,
  receiver: Receiver,
): Promise<Made> {
  const app = await world.newApp({
    name: ODD.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '').trim(),
    iosAppStoreId: '1234567890',
  });
  const hook = receiver.newHook((nth) => (nth === 1 ? 500 : 200));
  const { id: webhookId } = await newWebhook(world, app, { url: hook.url });
  const link = await makeLinkOnce(world, app);
  const shortCodes = [link.answer.body.shortCode as string, (await world.newLink(app)).shortCode];
  const gone = await world.newLink(app, { shortCode: 'gone-Code_1' });
  await world.call('DELETE', `/v1/links/${gone.shortCode}`, { key: app.keys.live });

  const installs = [];
  for (const shortCode of [shortCodes[0], null]) {
    const from = freshAddress();
    const clickId = shortCode == null ? undefined : await world.clickId(shortCode, { from });
    const body = { installId: randomUUID(), clickId };
    installs.push({ body, answer: await world.install(app, body, { from }) });
  }
  const [first] = installs;
  const installId = first?.body.installId;
  await tellMore(world, app, String(installId));
  await world.call('POST', '/.well-known/skadnetwork/report-attribution', { body: WINNING_POSTBACK });
  const erase = { key: app.keys.live, body: { ipAddress: '192.0.2.77', requesterEmail: 'dpo@example.com' } };
  const [requestId] = (await world.call('POST', '/v1/privacy/erase', erase)).body.requestIds;
  await waitFor('the erasure', async () => {
    const { body } = await world.call('GET', `/v1/privacy/erase/${requestId}`, { key: app.keys.live });
    return body.status === 'completed' ? true : undefined;
  });
  await waitFor('the last delivery', async () =>
    (await waitingFor(source, webhookId)) === 0 ? true : undefined,
  );
  await world.service.clickLog.applied();
  return { app, shortCodes: [...shortCodes, gone.shortCode], webhookId, hook, installs, link };
}

async function makeLinkOnce(world: World, app: TestApp) {
  const body = {
    deepLinkPath: `/${ODD}`,
    campaignId: ODD,
    deepLinkParams: { [ODD]: ODD },
    metadata: LARGE,
    ...PLAY,
  };
  const idempotencyKey = randomUUID();
  const headers = { 'idempotency-key': idempotencyKey };
  const answer = await world.call('POST', '/v1/links', { key: app.keys.live, headers, body });
  assert.equal(answer.status, 201, answer.text);
  return { body, idempotencyKey, answer };
}

async function tellMore(world: World, app: TestApp, installId: string): Promise<void> {
  const key = app.keys.live_publishable;
  const fingerprint = { platform: 'ANDROID', osVersion: '15', deviceModel: ODD, locale: 'de_DE' };
  const told: [string, object][] = [
    ['open', { fingerprint, installId, openId: randomUUID() }],
    ['event', { installId, eventName: ODD, properties: LARGE, occurredAt: '1970-01-01T00:00:00.001Z' }],
    ['event', { installId, eventName: 'late', occurredAt: '9999-12-31T23:59:59.999Z' }],
    ['identify', { installId, userId: ODD }],
    ['event', { installId, eventName: 'after', userId: ODD }],
  ];
  for (const [path, body] of told) {
    const { status, text } = await world.call('POST', `/v1/sdk/${path}`, { key, body, from: freshAddress() });
    assert.ok(status < 300, `${path}: ${status} ${text}`);
  }
  const names = { windows: [{ fine: { 1: ODD } }] };
  await world.call('PUT', '/v1/skan/conversion-values', { key: app.keys.live, body: names });
}

/** The service's responses about all records; they must be the same after a move. */
export async function answersOf(world: World, { app, shortCodes, installs }: Made): Promise<string[]> {
  const paths = [
    '/v1/links?limit=100',
    ...shortCodes.flatMap((code) => [`/v1/links/${code}`, `/v1/links/${code}/stats`]),
    ...installs.map(({ body }) => `/v1/installs/${body.installId}`),
    '/v1/webhooks',
    '/v1/webhooks/deliveries?limit=100',
    '/v1/skan/postbacks',
    '/v1/skan/summary',
    '/v1/skan/conversion-values',
    '/v1/audit-log?limit=100',
  ];
  const answers = [];
  for (const path of paths) {
    const { status, text } = await world.call('GET', path, { key: app.keys.live });
    answers.push(`${path} ${status} ${text}`);
  }
  for (const path of ['/apps', `/apps/${app.id}/keys`])
    answers.push(`${path} ${(await world.admin('GET', path)).text.replaceAll(/"lastUsedAt":[^,}]+/g, '')}`);
  return answers;
}

/** A click that was acknowledged but not yet written to the database, as after a crash. */
export async function leaveInJournal({ source }: Pick<MoveScene, 'source'>, appId: string): Promise<string> {
  const [link] = await queryStored(source, `select id from links where app_id = '${appId}' limit 1`);
  const nowMs = Date.now();
  const id = `${nowMs
    .toString(16)
    .padStart(12, '0')
    .replace(/(.{8})/, '$1-')}-7aaa-8aaa-aaaaaaaaaaaa`;
  const directory = join(source.dataDir, 'journal');
  const journal = await Journal.open(directory, JOURNAL_LIMITS);
  const nothing = {
    campaign_id: null,
    visitor_reason: null,
    ip_hash: null,
    accept_language: null,
    country: null,
    referrer: null,
    utm: null,
    query: null,
    erased: null,
    erased_at: null,
    ...{ rule_id: null, path_rest: null },
  };
  await journal.append(
    toJournalRow({
      ...nothing,
      ...{
        app_id: appId,
        id,
        link_id: String(link?.id ?? id),
        sandbox: 0,
        visitor: 'human',
        platform: 'IOS',
      },
      ...{ user_agent: ODD, device_model: null, fingerprint: null, clicked_at: isoTime(nowMs) },
    }),
    appId,
  );
  await journal.close();
  return id;
}
