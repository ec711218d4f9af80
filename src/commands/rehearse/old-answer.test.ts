import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type OldServiceStandIn, standInForOldService } from '../../../test/helpers/old-service-stand-in.ts';
import { create } from '../../../test/helpers/outgoing-receiver.ts';
import { systemClock } from '../../lib/clock.ts';
import { followDestination, followOld, type OldAnswerDeps } from './old-answer.ts';
import { createPace } from './pace.ts';
import { type VisitorName, visitorOf } from './visitors.ts';

const APP_STORE = 'https://apps.apple.com/app/id1';

describe('the old answer', () => {
  let old: OldServiceStandIn;
  let elsewhere: OldServiceStandIn;
  const waits: number[] = [];
  const stop = new AbortController();
  const deps: OldAnswerDeps = {
    outgoing: create(),
    pace: createPace(10_000),
    clock: systemClock,
    signal: stop.signal,
    onWait: (seconds) => waits.push(seconds),
  };
  before(async () => {
    [old, elsewhere] = [await standInForOldService(), await standInForOldService()];
  });
  after(() => {
    old.close();
    elsewhere.close();
  });

  const follow = async (
    path: string,
    {
      as = 'iphone',
      target = null,
      mayUseHead = true,
    }: { as?: VisitorName; target?: string | null; mayUseHead?: boolean } = {},
  ) => await followOld(deps, `${old.url}${path}`, { visitor: visitorOf(as, 'en'), mayUseHead, target });
  const methodsOf = (path: string, at = old) =>
    at.requests.filter((request) => request.path === path).map(({ method }) => method);

  it('is where its redirects end, relative ones and those of pages included, and a store is not asked', async () => {
    old.answers['/a'] = '/b';
    old.answers['/b'] = (_request, response) =>
      response.end(`<meta http-equiv="refresh" content="0; url=${elsewhere.url}/c">`);
    elsewhere.answers['/c'] = APP_STORE;
    const { answer, status, hops } = await follow('/a');
    assert.deepEqual(answer, { kind: 'leads', to: APP_STORE });
    assert.equal(status, 302);
    assert.deepEqual(hops, [`${old.url}/a`, `${old.url}/b`, `${elsewhere.url}/c`, APP_STORE]);
  });

  it('is asked by HEAD, and by GET too where that is no redirect; or by GET alone', async () => {
    old.answers['/head'] = APP_STORE;
    await follow('/head');
    await follow('/head', { mayUseHead: false });
    assert.deepEqual(methodsOf('/head'), ['HEAD', 'GET']);
    old.answers['/get-only'] = ({ method }, response) =>
      method === 'HEAD'
        ? response.writeHead(405).end()
        : response.writeHead(301, { location: APP_STORE }).end();
    assert.deepEqual((await follow('/get-only')).answer, { kind: 'leads', to: APP_STORE });
    assert.deepEqual(methodsOf('/get-only'), ['HEAD', 'GET']);
  });

  it('needs no further request once it leads where the new answer does', async () => {
    old.answers['/known'] = `${elsewhere.url}/sale/?utm_source=old`;
    const { answer } = await follow('/known', { target: `${elsewhere.url}/sale` });
    assert.deepEqual(answer, { kind: 'leads', to: `${elsewhere.url}/sale/?utm_source=old` });
    assert.deepEqual(methodsOf('/sale/?utm_source=old', elsewhere), []);
  });

  it('is its own status only: what the destination answers is no fault of the link', async () => {
    for (const status of [404, 410]) {
      old.answers['/ended'] = status;
      assert.equal((await follow('/ended')).answer.kind, 'ended');
    }
    for (const status of [401, 403, 500]) {
      old.answers['/error'] = status;
      assert.deepEqual((await follow('/error')).answer, {
        kind: 'unreachable',
        why: `The old service answered ${status}.`,
      });
    }
    for (const status of [403, 404, 500]) {
      elsewhere.answers['/target'] = status;
      old.answers['/to-target'] = `${elsewhere.url}/target`;
      assert.deepEqual((await follow('/to-target')).answer, { kind: 'leads', to: `${elsewhere.url}/target` });
    }
    old.answers['/private'] = 'http://192.168.1.7/';
    assert.deepEqual((await follow('/private')).answer, { kind: 'leads', to: 'http://192.168.1.7/' });
  });

  it('is no answer where redirects go in a circle or on and on, or nobody listens', async () => {
    old.answers['/circle'] = '/circle-2';
    old.answers['/circle-2'] = '/circle';
    for (let step = 0; step < 20; step += 1) old.answers[`/on/${step}`] = `/on/${step + 1}`;
    for (const path of ['/circle', '/on/0']) {
      const { answer } = await follow(path);
      assert.deepEqual(answer, { kind: 'unreachable', why: 'The redirects do not end within 10 steps.' });
    }
    assert.ok(old.requests.filter(({ path }) => path.startsWith('/on/')).length <= 11);
    const gone = await standInForOldService();
    gone.close();
    const trip = { visitor: visitorOf('iphone', 'en'), mayUseHead: true, target: null };
    const { answer } = await followOld(deps, `${gone.url}/x`, trip);
    assert.deepEqual(answer, { kind: 'unreachable', why: 'The connection was refused.' });
  });

  it('of a page is what it names, and for a chat its card', async () => {
    old.answers['/page'] = (_request, response) =>
      response.end(`<title>Get the app</title><a href="${APP_STORE}">App Store</a>`);
    assert.deepEqual((await follow('/page')).answer, {
      kind: 'page',
      at: `${old.url}/page`,
      addresses: [APP_STORE],
    });
    elsewhere.answers['/sale'] = (_request, response) =>
      response.end('<meta property="og:title" content="Sale">');
    old.answers['/chat'] = `${elsewhere.url}/sale`;
    const { answer } = await follow('/chat', { as: 'chat', target: `${elsewhere.url}/sale` });
    assert.deepEqual(answer, {
      kind: 'card',
      at: `${elsewhere.url}/sale`,
      card: { title: 'Sale', description: null, image: null },
    });
    elsewhere.answers['/sale'] = (_request, response) =>
      response.writeHead(403).end('<title>Forbidden</title>');
    assert.equal((await follow('/chat', { as: 'chat' })).answer.kind, 'leads');
  });

  it('is awaited as long as the old service asks for by 429 and Retry-After', async () => {
    old.answers['/busy'] = (_request, response, nth) =>
      nth === 1
        ? response.writeHead(429, { 'retry-after': '1' }).end()
        : response.writeHead(302, { location: APP_STORE }).end();
    const startedMs = performance.now();
    assert.equal((await follow('/busy')).answer.kind, 'leads');
    assert.ok(performance.now() - startedMs >= 990);
    assert.deepEqual(waits, [1]);
  });

  it('goes on after a redirect whose address has letters beyond ASCII', async () => {
    old.answers['/umlaut'] = ({ socket }) =>
      socket.end(
        'HTTP/1.1 302 Found\r\nLocation: https://shop.invalid/gr\u00fcn\r\nContent-Length: 0\r\n\r\n',
      );
    assert.deepEqual((await follow('/umlaut')).answer, {
      kind: 'leads',
      to: 'https://shop.invalid/gr%C3%BCn',
    });
  });

  it('of a destination is where that leads in the end', async () => {
    elsewhere.answers['/old-name'] = '/new-name';
    elsewhere.answers['/new-name'] = 200;
    const trip = { visitor: visitorOf('computer', 'en'), mayUseHead: true, target: null };
    const { answer } = await followDestination(deps, `${elsewhere.url}/old-name`, trip);
    assert.deepEqual(answer, { kind: 'leads', to: `${elsewhere.url}/new-name` });
  });
});

describe('the pace', () => {
  it('lets no more requests leave than allowed, and none in a pause', async () => {
    const pace = createPace(20);
    const { signal } = new AbortController();
    const startedMs = performance.now();
    const atMs: number[] = [];
    const turn = async () => {
      await pace.turn(signal);
      atMs.push(performance.now() - startedMs);
    };
    await Promise.all([turn(), turn(), turn()]);
    assert.ok((atMs[2] ?? 0) >= 100, `${atMs}`);
    const late = turn();
    pace.pause(200);
    const pausedAtMs = performance.now() - startedMs;
    await late;
    assert.ok((atMs[3] ?? 0) >= pausedAtMs + 199, `${atMs}`);
  });
});
