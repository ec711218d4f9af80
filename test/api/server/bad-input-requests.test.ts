/** Bodies of a wrong size or type, callers without a valid key, and paths without a record. */
import { before, describe, it } from 'node:test';
import { neutralEngines } from '../../helpers/engines.ts';
import { Caller, type Operation, operationsOf } from '../../helpers/operations.ts';
import { liftRateLimits } from '../../helpers/rate-limits.ts';
import { leavesNothing } from '../../helpers/refusal.ts';
import { useWorld } from '../../helpers/world.ts';

const KIB = 1_024;
const OTHER_TYPES = [
  ...['text/plain', 'text/json', 'application/xml', 'application/x-www-form-urlencoded', 'application/jsonx'],
  ...['multipart/form-data; boundary=x', 'application/json, text/plain', '*/*', 'json', '/', ';', 'é', ''],
];
const INVALID_KEYS = [
  ...[
    '',
    ' ',
    'x',
    'svc_live_',
    'svc_live_us_',
    'svc_live_us_0123456789abcdefghijkl000000',
    'null',
    "' or 1=1 --",
  ],
  ...[
    'svc_live_é0123456789abcdef',
    `svc_live_${'x'.repeat(8_000)}`,
    'svc_live_eu_0123456789abcdefghijklmnopqr',
  ],
];
const INVALID_TOKENS = ['', 'Bearer', 'Bearer ', 'Bearer x', 'Basic eDp4', 'x'.repeat(8_000), 'Bearer é'];
const UNKNOWN_IDS = [
  ...[
    'x',
    '0',
    '-1',
    'null',
    'undefined',
    'NaN',
    '%20',
    '%C3%A9',
    '%F0%9F%98%80',
    '%00',
    '%0d%0a',
    '%25',
    '*',
  ],
  ...['01900000-0000-7000-8000-000000000000', 'urn:uuid:01900000-0000-7000-8000-000000000000'],
  ...['..', '..%2f..%2fetc%2fpasswd', 'a%2Fb', "'%20or%201=1%20--", 'x'.repeat(65), 'x'.repeat(5_000)],
];

const INVALID_COUNTS = [
  ...['-1', 'abc', '', 'NaN', 'Infinity', '-Infinity', 'null', 'true', '1.5', '1,2', '1e400', '%00'],
  ...['99999999999999999999', '9007199254740992'],
];

// The size and type of a body are checked before any query, so one engine is enough.
for (const engine of neutralEngines)
  describe('an invalid body', () => {
    const world = useWorld(engine);
    liftRateLimits();
    let caller: Caller;
    before(async () => {
      caller = await Caller.of(world);
    });
    const withBody = () => operationsOf(world).filter(({ body }) => body !== null);

    it('that is larger than the limit gets 413', () =>
      leavesNothing(world, async (refusals) => {
        for (const operation of withBody()) {
          const limit = largestBody(operation);
          const body = JSON.stringify(caller.sample(operation));
          for (const bytes of [limit + 1, 6 * KIB * KIB]) {
            const answer = await caller.call(operation, { rawBody: body.padEnd(bytes) });
            refusals.check(answer, 413, `${operation.method} ${operation.path} of ${bytes} bytes`);
          }
          const answer = await caller.call(operation, { rawBody: '{'.padEnd(limit) });
          refusals.check(answer, 400, `${operation.method} ${operation.path} of ${limit} bytes`);
        }
      }));

    it('whose content type is not JSON gets 415', () =>
      leavesNothing(world, async (refusals) => {
        for (const operation of withBody())
          for (const type of OTHER_TYPES) {
            const rawBody = JSON.stringify(caller.sample(operation));
            const answer = await caller.call(operation, { rawBody, headers: { 'content-type': type } });
            refusals.check(answer, 415, `${operation.method} ${operation.path} as “${type}”`);
          }
      }));
  });

for (const engine of neutralEngines)
  describe(`an invalid request on ${engine}`, () => {
    const world = useWorld(engine);
    liftRateLimits();
    let caller: Caller;
    let operations: Operation[];
    before(async () => {
      caller = await Caller.of(world);
      operations = operationsOf(world);
    });

    it('without a valid key gets 401 before its body is parsed', () =>
      leavesNothing(world, async (refusals) => {
        for (const operation of operations.filter((one) => one.caller === 'key'))
          for (const key of INVALID_KEYS)
            for (const rawBody of operation.body === null ? [undefined] : ['{']) {
              const answer = await caller.call(operation, {
                headers: { 'x-api-key': key },
                ...(rawBody !== undefined && { rawBody }),
              });
              refusals.check(
                answer,
                401,
                `${operation.method} ${operation.path} with the key ${key.slice(0, 50)}`,
              );
            }
      }));

    it('without the admin token gets 401 before its body is parsed', () =>
      leavesNothing(world, async (refusals) => {
        for (const operation of operations.filter((one) => one.caller === 'operator'))
          for (const authorization of INVALID_TOKENS)
            for (const rawBody of operation.body === null ? [undefined] : ['{']) {
              const answer = await caller.call(operation, {
                headers: { authorization },
                ...(rawBody !== undefined && { rawBody }),
              });
              refusals.check(
                answer,
                401,
                `${operation.method} ${operation.path} with ${authorization.slice(0, 50)}`,
              );
            }
      }));

    it('for an unknown or malformed ID gets 404', () =>
      leavesNothing(world, async (refusals) => {
        for (const operation of operations)
          for (const [parameter] of operation.path.matchAll(/\{\w+\}/g))
            for (const id of UNKNOWN_IDS) {
              // A response to HEAD has no body.
              if (operation.method === 'HEAD') continue;
              // Clients resolve it to `/v1/stats` and `/v1/invitations`, which exist.
              if (id === '..' && /\/(stats|invitations)$/.test(operation.path)) continue;
              const path = caller.pathOf({ ...operation, path: operation.path.replace(parameter, id) });
              const rawBody = operation.body === null ? undefined : JSON.stringify(caller.sample(operation));
              const answer = await caller.call(operation, {
                path,
                ...(rawBody !== undefined && { rawBody }),
              });
              // The ID names the app, whose value opens the address.
              const expected = operation.caller === 'integration' ? [401, 404] : [400, 404];
              refusals.check(answer, expected, `${operation.method} ${path.slice(0, 80)}`);
            }
      }));

    it('for an unknown endpoint gets 404', () =>
      leavesNothing(world, async (refusals) => {
        const [key] = [caller.app.keys.live];
        for (const path of [
          '/',
          '/v1',
          '/v1/',
          '/v1/nothing',
          '/l',
          '/l/',
          '/l/a/b',
          '/V1/links',
          '/v1//links',
          '/v1/links/a/b',
        ])
          for (const method of ['GET', 'POST', 'PATCH', 'DELETE'] as const)
            refusals.check(await world.call(method, path, { key }), 404, `${method} ${path}`);
      }));

    it('with an invalid query parameter is rejected, and the error names the parameter', () =>
      leavesNothing(world, async (refusals) => {
        for (const operation of operations)
          for (const [name, schema] of Object.entries(operation.query)) {
            const bad = schema.type === 'integer' ? [...INVALID_COUNTS] : ['%00', 'a%00b'];
            if (schema.minimum === 1) bad.push('0');
            if (schema.maximum === 100) bad.push('101', '1e9');
            const queries = bad.map((value) => `${name}=${value}`);
            if (schema.type !== 'array') queries.push(`${name}=1&${name}=2`);
            for (const query of queries) {
              const answer = await caller.call(operation, {
                path: `${caller.pathOf(operation)}?${query}${name === 'source' || !('source' in operation.query) ? '' : '&source=csv'}`,
                ...(operation.body !== null && { rawBody: JSON.stringify(caller.sample(operation)) }),
              });
              refusals.check(answer, 400, `${operation.method} ${operation.path}?${query}`, name);
            }
          }
      }));
  });

/** In bytes; the limit is higher for a batch of events, and lower for a postback. */
function largestBody({ path }: Operation): number {
  if (['/v1/sdk/events', '/v1/sdk/installs', '/v1/sdk/opens'].includes(path)) return 4 * KIB * KIB;
  if (path === '/v1/links/batch') return 5 * KIB * KIB;
  if (path === '/v1/costs') return KIB * KIB;
  if (path.endsWith('/signals')) return 4 * KIB;
  if (path === '/v1/debug/attribution') return 48 * KIB;
  return (/report-attribution$|^\/v1\/skan\/postbacks$/.test(path) ? 16 : 256) * KIB;
}
