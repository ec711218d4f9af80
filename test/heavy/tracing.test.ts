/** Traces of the real program, as a collector gets them. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { IPHONE, IPHONE_FINGERPRINT } from '../helpers/callers.ts';
import { type CollectedSpan, Collector } from '../helpers/collector.ts';
import { makePlace, neutralEngines, type Place } from '../helpers/engines.ts';
import { type RunningServer, startServer } from '../helpers/process.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { RECEIVER_ENV, useReceiver } from '../helpers/webhook-receiver.ts';
import { callServer } from '../helpers/webhook-scene.ts';

const LIVE_KEY = 'svc_live_traces0123456789';
const ADMIN_TOKEN = 'the admin token of this test';
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';
const FAST = { OTEL_BSP_SCHEDULE_DELAY: '50', OTEL_EXPORTER_OTLP_TIMEOUT: '500' };

for (const engine of neutralEngines)
  describe('traces', () => {
    const collector = new Collector();
    const receiver = useReceiver();
    let [place, server]: [Place | undefined, RunningServer | undefined] = [undefined, undefined];

    before(async () => {
      place = await makePlace(engine, { isEmpty: true });
      server = await startServer(place, {
        ...FAST,
        ...RECEIVER_ENV,
        ADMIN_TOKEN,
        LOG_LEVEL: 'warn',
        BOOTSTRAP_LIVE_KEY: LIVE_KEY,
        SECRET_KEY: 'a secret key of this test alone',
        OTEL_EXPORTER_OTLP_ENDPOINT: await collector.open(),
        OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=ours',
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      });
    });
    after(async () => {
      await server?.end('SIGTERM');
      await place?.remove();
      await collector.close();
    });

    const running = () => server as RunningServer;
    const call = (method: string, path: string, body?: object) =>
      callServer(running(), LIVE_KEY, [method, path, body]);
    const spanWhere = (what: string, found: (span: CollectedSpan) => boolean) =>
      waitFor(what, () => collector.spans.find(found));
    const childrenOf = ({ spanId }: CollectedSpan) =>
      collector.spans.filter(({ parentId }) => parentId === spanId);
    async function metric(series: string): Promise<number> {
      const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
      const text = await (await fetch(`${running().url}/metrics`, { headers })).text();
      return Number(
        text
          .split('\n')
          .find((line) => line.startsWith(series))
          ?.split(' ')
          .at(-1) ?? Number.NaN,
      );
    }

    it('show a tap with its route, status and the write of its click, in the trace of its caller', async () => {
      const { shortCode } = await call('POST', '/v1/links', {
        deepLinkPath: '/',
        fallbackUrl: 'https://example.com',
      });
      const response = await fetch(`${running().url}/l/${shortCode}?email=ada%40example.com`, {
        redirect: 'manual',
        headers: { 'user-agent': IPHONE, traceparent: `00-${TRACE}-${CALLER}-01` },
      });
      const tap = await spanWhere('the tap', ({ traceId, kind }) => traceId === TRACE && kind === 2);
      assert.equal(tap.name, 'GET /l/:shortCode');
      assert.equal(tap.parentId, CALLER);
      assert.deepEqual(tap.attributes, {
        'http.request.method': 'GET',
        'url.scheme': 'http',
        'http.route': '/l/:shortCode',
        'http.response.status_code': response.status,
      });
      assert.ok(tap.endNs > tap.startNs && tap.endNs - tap.startNs < 60_000_000_000n);
      const [append] = await waitFor('the write', () => {
        const found = childrenOf(tap).filter(({ name }) => name === 'click append');
        return found.length > 0 ? found : undefined;
      });
      assert.equal(append?.traceId, TRACE);
      assert.equal(tap.resource['service.name'], 'throughline');
      assert.equal(tap.resource['deployment.environment.name'], 'test');
      assert.equal(collector.headers[0]?.['x-tenant'], 'ours');
      assert.equal(collector.paths[0], '/v1/traces');
    });

    it('show a call with its statements, also behind a body, and an attempt of its webhook by itself', async () => {
      const hook = receiver.newHook(() => 500);
      const { id } = await call('POST', '/v1/webhooks', {
        url: hook.url,
        secret: 'generate',
        events: ['install.organic'],
      });
      await call('POST', '/v1/sdk/install', { fingerprint: IPHONE_FINGERPRINT });
      const install = await spanWhere('the call', ({ name }) => name === 'POST /v1/sdk/install');
      const statements = await waitFor('its commit', () => {
        const found = childrenOf(install);
        return found.some(({ name }) => name === 'commit') ? found : undefined;
      });
      const names = statements.map(({ name }) => name);
      assert.ok(
        names.every((name) => /^(select|insert|update|delete|commit|other)( [a-z_]+)?$/.test(name)),
        names.join(),
      );
      const system = engine === 'postgres' ? 'postgresql' : 'sqlite';
      assert.ok(statements.every(({ attributes }) => attributes['db.system.name'] === system));
      const attempt = await spanWhere('the attempt', ({ name }) => name === 'webhook attempt');
      assert.equal(attempt.parentId, '');
      assert.equal(attempt.kind, 3);
      assert.equal(attempt.status, 2);
      assert.deepEqual(attempt.attributes, {
        'throughline.webhook.id': id,
        'throughline.attempt': 1,
        'http.response.status_code': 500,
        'error.type': '500',
      });
      assert.equal(hook.received[0]?.headers.traceparent, undefined, 'a receiver learns nothing of traces');
    });

    it('show background tasks, at most one run of each a minute', async () => {
      await spanWhere(
        'a run',
        ({ name, parentId }) => name === 'batches for destinations' && parentId === '',
      );
      const roots = collector.spans.filter(({ kind, parentId }) => kind === 1 && parentId === '');
      const names = roots.map(({ name }) => name);
      assert.equal(new Set(names).size, names.length, names.join());
    });

    it('have no spans of probes and scrapes', async () => {
      await metric('throughline_build_info');
      for (const path of ['/healthz', '/readyz?x']) await fetch(running().url + path);
      const sent = collector.bodies.length;
      await call('GET', '/v1/links');
      await waitFor('another batch', () => collector.bodies.length > sent || undefined);
      assert.deepEqual(
        collector.spans.filter(({ name }) => /healthz|readyz|metrics/.test(name)),
        [],
      );
    });

    it('carry no key, address, query, user, link or value of a statement', async () => {
      const { shortCode } = await call('POST', '/v1/links', { deepLinkPath: '/secret-path-of-a-person' });
      const { installId } = await call('POST', '/v1/sdk/install', { fingerprint: IPHONE_FINGERPRINT });
      await call('POST', '/v1/sdk/identify', { installId, userId: 'ada-lovelace' });
      await fetch(`${running().url}/v1/links/${shortCode}?token=abcdef`, {
        headers: { 'x-api-key': LIVE_KEY },
      });
      const last = await spanWhere('the last call', ({ name }) => /^GET \/v1\/links\//.test(name));
      assert.match(last.name, /:/);
      const all = Buffer.concat(collector.bodies).toString('latin1');
      const forbidden = [
        LIVE_KEY,
        '127.0.0.1',
        'email',
        'ada',
        'abcdef',
        shortCode,
        installId,
        'secret-path',
        'iPhone',
      ];
      assert.deepEqual(
        forbidden.filter((text) => all.includes(text)),
        [],
      );
    });

    it('a collector that hangs or refuses costs a count and one line of the log, and no answer', async () => {
      const lines = () =>
        running()
          .output()
          .split('\n')
          .filter((line) => line.includes('does not take traces'));
      for (const mood of ['hangs', 'refuses'] as const) {
        collector.mood = mood;
        const failed = await metric('throughline_trace_spans_total{outcome="failed"}');
        await waitFor(`spans that fail while it ${mood}`, async () => {
          const startedMs = performance.now();
          await call('GET', '/v1/links');
          assert.ok(performance.now() - startedMs < 5_000);
          return (await metric('throughline_trace_spans_total{outcome="failed"}')) > failed || undefined;
        });
      }
      assert.equal(lines().length, 1);
      assert.doesNotMatch(lines()[0] ?? '', /stack|127\.0\.0\.1/);
      assert.ok((await metric('throughline_trace_spans_total{outcome="sent"}')) > 0);
    });
  });
