/** The data of a release, made by calls of every kind, and what a later version has to answer about it. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { freshAddress, IPHONE, IPHONE_FINGERPRINT } from './callers.ts';
import { fill, type Made } from './move-scene.ts';
import { queryStored } from './stored.ts';
import { waitFor } from './wait-for.ts';
import type { Receiver } from './webhook-receiver.ts';
import type { TestApp, World } from './world.ts';

const OPERATOR = { email: 'ada@example.com', name: 'Ada', password: 'correct horse battery' };
const PLAY = 'https://play.google.com/store/apps/details?id=com.example';

export interface MadeRelease {
  readonly app: TestApp;
  readonly shortCodes: readonly string[];
  readonly installIds: readonly string[];
  /** When it was made, in milliseconds since the epoch. */
  readonly atMs: number;
}

export interface Release extends MadeRelease {
  /** Status and body by path. */
  readonly answers: Readonly<Record<string, ReleaseAnswer>>;
}

export interface ReleaseAnswer {
  readonly status: number;
  readonly body: unknown;
}

export async function fillRelease(world: World, receiver: Receiver): Promise<MadeRelease> {
  const made = await fill({ source: world.place }, world, receiver);
  const { app } = made;
  await manage(world, app);
  const shortCodes = await makeLinks(world, app);
  const installIds = await visit(world, app, shortCodes);
  await world.service.clickLog.applied();
  await waitFor('the deliveries', async () =>
    (await queryStored(world.place, 'select 1 from webhook_queue')).length === 0 ? true : undefined,
  );
  return {
    app,
    shortCodes: [...made.shortCodes, ...shortCodes],
    installIds: [...installIds, ...installsOf(made)],
    atMs: Date.now(),
  };
}

function installsOf({ installs }: Made): string[] {
  return installs.map(({ body }) => String(body.installId));
}

/** Users, keys, costs, a destination and postbacks. */
async function manage(world: World, app: TestApp): Promise<void> {
  const { url } = (await world.admin('POST', '/users/setup')).body;
  await send(world, 'POST', '/v1/setup', { token: new URL(url).hash.slice(1), ...OPERATOR });
  const key = app.keys.live;
  const keys = `/apps/${app.id}/keys`;
  const { id: keyId } = (await world.admin('POST', keys, { kind: 'live', name: 'Billing server' })).body;
  assert.equal((await world.admin('POST', `${keys}/${keyId}/rotation`, { endsInDays: 7 })).status, 201);
  const cost = { amount: '120.50', currency: 'EUR' };
  await send(world, 'POST', '/v1/costs', { costs: [{ date: today(), campaignId: 'spring', cost }] }, key);
  const destination = {
    type: 'segment',
    name: 'Segment',
    config: { writeKey: 'YOUR_WRITE_KEY' },
    events: ['event'],
  };
  const { id: destinationId } = await send(world, 'POST', '/v1/destinations', destination, key);
  await send(world, 'PATCH', `/v1/destinations/${destinationId}`, { enabled: false }, key);
  const windows = [{ fine: [{ from: 1, to: 20, eventName: 'sign-up' }], coarse: { high: 'purchase' } }];
  await send(world, 'PUT', '/v1/skan/conversion-values', { windows }, key);
  await world.admin('PATCH', `/apps/${app.id}`, { fingerprintWindowHours: 12 });
}

async function makeLinks(world: World, app: TestApp): Promise<string[]> {
  const links = [
    {
      deepLinkPath: '/shoes/42',
      campaignId: 'spring',
      androidDestination: PLAY,
      tags: ['Spring'],
      title: 'Shoes',
    },
    { deepLinkPath: '/hats', fallbackUrl: 'https://www.example.com/hats', ogTitle: 'Hats' },
  ];
  const made = await send(world, 'POST', '/v1/links/batch', { links }, app.keys.live);
  const results = made.results as { link?: { shortCode: string } }[];
  assert.ok(
    results.every(({ link }) => link !== undefined),
    JSON.stringify(results),
  );
  const codes = results.map(({ link }) => link?.shortCode ?? '');
  const sandbox = await world.newLink(app, { androidDestination: PLAY }, app.keys.test);
  await send(world, 'PATCH', `/v1/links/${codes[1]}`, { campaignId: 'summer' }, app.keys.live);
  return [...codes, sandbox.shortCode];
}

/** Taps, installs by each method, opens, events with revenue, users and a shared link. */
async function visit(world: World, app: TestApp, shortCodes: readonly string[]): Promise<string[]> {
  const key = app.keys.live_publishable;
  const installIds: string[] = [];
  for (let visitor = 0; visitor < 12; visitor++) {
    const from = freshAddress();
    const installId = randomUUID();
    const code = shortCodes[visitor % 2] ?? '';
    const isAndroid = visitor % 4 === 0;
    const clickId = isAndroid ? await world.clickId(code, { from }) : undefined;
    if (!isAndroid)
      await world.tap(code, { userAgent: IPHONE, from, headers: { referer: 'https://news.example/' } });
    const { status } = await world.install(app, { installId, clickId }, { from });
    assert.ok(status < 300);
    const revenue = { amount: '19.99', currency: 'EUR' };
    const events = [
      { installId, eventName: 'sign-up', eventId: randomUUID() },
      { installId, eventName: 'purchase', eventId: randomUUID(), revenue, transactionId: `order-${visitor}` },
    ];
    await send(world, 'POST', '/v1/sdk/events', { events }, key);
    await send(world, 'POST', '/v1/sdk/identify', { installId, userId: `user-${visitor % 5}` }, key);
    await send(
      world,
      'POST',
      '/v1/sdk/resolve',
      { shortCode: code, openId: randomUUID(), fingerprint: IPHONE_FINGERPRINT },
      key,
    );
    installIds.push(installId);
  }
  const opens = [{ fingerprint: IPHONE_FINGERPRINT, openId: randomUUID(), installId: installIds[0] }];
  await send(world, 'POST', '/v1/sdk/opens', { opens }, key);
  await world.install(app, { installId: randomUUID() }, { key: app.keys.test });
  await world.install(app, { installId: randomUUID(), deterministicOnly: true });
  return installIds;
}

/** Asks for all that was recorded, with fixed periods: nothing depends on the day of the question. */
export async function answersOfRelease(
  world: World,
  { app, shortCodes, installIds, atMs }: MadeRelease,
): Promise<Record<string, ReleaseAnswer>> {
  await world.service.clickLog.applied();
  await world.service.foldCounts(app.id);
  const day = new Date(atMs).toISOString().slice(0, 10);
  const period = `from=${day}&to=${day}`;
  const paths = [
    `/v1/stats?${period}&groupBy=link,campaign,country,method,referrer&include=totals,series,groups`,
    `/v1/stats?${period}&groupBy=eventName,platform&include=groups`,
    `/v1/stats/retention?${period}`,
    `/v1/stats/accuracy?${period}`,
    '/v1/links?limit=100&include=totals',
    ...shortCodes.flatMap((code) => [`/v1/links/${code}`, `/v1/links/${code}/stats?${period}`]),
    '/v1/clicks?limit=100',
    '/v1/installs?limit=100',
    ...installIds.map((id) => `/v1/installs/${id}`),
    '/v1/opens?limit=100',
    '/v1/events?limit=100',
    '/v1/costs?limit=100',
    '/v1/webhooks',
    '/v1/webhooks/deliveries?limit=100',
    '/v1/destinations',
    '/v1/skan/postbacks',
    '/v1/skan/summary',
    '/v1/skan/conversion-values',
    '/v1/audit-log?limit=100',
  ];
  const answers: Record<string, ReleaseAnswer> = {};
  for (const path of paths) {
    const { status, body } = await world.call('GET', path, { key: app.keys.live });
    answers[path] = { status, body };
  }
  answers['/v1/admin/apps'] = { status: 200, body: (await world.admin('GET', '/apps')).body };
  return answers;
}

async function send(
  world: World,
  method: 'POST' | 'PUT' | 'PATCH',
  path: string,
  body: object,
  key?: string,
) {
  const answer = await world.call(method, path, { body, key, from: freshAddress() });
  assert.ok(answer.status < 300, `${path}: ${answer.status} ${answer.text}`);
  return answer.body;
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}
