/** Random requests derived from the schemas, the same in every run. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { engines } from '../../helpers/engines.ts';
import { Caller, type Operation, operationsOf } from '../../helpers/operations.ts';
import { RandomValues } from '../../helpers/random-values.ts';
import { liftRateLimits } from '../../helpers/rate-limits.ts';
import { assertError, storedRows } from '../../helpers/refusal.ts';
import { useWorld } from '../../helpers/world.ts';
import { fieldsOf } from '../../helpers/wrong-values.ts';

const SEED = 20_261_120;
/** Kinds of response that must occur; fewer where there are fewer requests. */
const EXPECTED = { sqlite: [200, 201, 400, 401, 404], postgres: [200, 400, 404] };
/** Fewer on PostgreSQL, where each comparison of all tables takes longer. */
const REQUESTS = { sqlite: 200, postgres: 100 };

/** Unusual values as JSON text. */
const VALUES = [
  ...[
    'null',
    'true',
    'false',
    '0',
    '-0',
    '1',
    '-1',
    '1.5',
    '1e400',
    '1e308',
    '9007199254740993',
    '[]',
    '{}',
    '""',
  ],
  ...[
    '" "',
    '"null"',
    '"0"',
    '"é😀\\u202e"',
    '"\\u0000"',
    '"\\ud800"',
    '"\\r\\n"',
    '"%00"',
    '"%zz"',
    '"../../x"',
    '"*"',
  ],
  ...['"\' or 1=1 --"', '"<script>"', '"{{7*7}}"', '"javascript:alert(1)"', '"https://example.com/é?a=b#c"'],
  ...[
    '"0000-01-01T00:00:00Z"',
    '"9999-12-31T23:59:60Z"',
    '"01900000-0000-7000-8000-000000000000"',
    '"1.2.3.4"',
  ],
  ...[
    '{"__proto__":1}',
    '{"constructor":{"prototype":1}}',
    '{"toString":1,"then":1,"length":-1}',
    '[[[[[[1]]]]]]',
  ],
  `"${'x'.repeat(300)}"`,
  `"${'é'.repeat(20_000)}"`,
  `${'['.repeat(63)}${']'.repeat(63)}`,
];
const HEADERS: Record<string, string>[] = [
  { 'x-request-id': 'x'.repeat(500) },
  { 'x-forwarded-for': 'unknown, é' },
  { 'user-agent': `${'x'.repeat(5_000)}é` },
  { 'idempotency-key': "' é" },
  { 'content-type': 'application/json; charset=utf-16' },
  { 'content-type': 'text/plain' },
  { accept: 'text/html' },
  { authorization: 'Bearer x' },
  { 'x-api-key': 'svc_live_us_x' },
  { 'accept-language': '*;q=é' },
];
const ENDS_ACCESS = /^\/v1\/(admin|keys|sessions?)\b/;
const ESCAPES = [
  '%00',
  '%zz',
  '%',
  '..',
  '%2F',
  '%C3%A9',
  'x'.repeat(3_000),
  '',
  '%F0%9F%98%80',
  "'",
  '01900000-0000-7000-8000-000000000000',
];

for (const engine of engines)
  describe(`random requests on ${engine}`, () => {
    const world = useWorld(engine);
    liftRateLimits();
    let caller: Caller;
    let operations: Operation[];
    before(async () => {
      caller = await Caller.of(world);
      // A stream has no end to wait for.
      operations = operationsOf(world).filter(({ method, path }) => method !== 'HEAD' && path !== '/v1/live');
    });

    it(`${REQUESTS[engine]} of them never get 5xx, all errors have one format, and rejected requests store no data`, async () => {
      const random = new RandomValues(SEED);
      const statuses = new Map<number, number>();
      let stored = await storedRows(world);
      for (let number = 0; number < REQUESTS[engine]; number++) {
        const operation = random.pick(operations);
        // Revoking the key or the session would end the test early.
        if (operation.method === 'DELETE' && ENDS_ACCESS.test(operation.path)) continue;
        const request = makeRequest(random, operation, caller);
        const answer = await caller.call(operation, request);
        const what = `request ${number}: ${operation.method} ${JSON.stringify(request).slice(0, 400)} → ${answer.status} ${answer.text.slice(0, 200)}`;
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        assert.ok(answer.status < 500, what);
        const now = await storedRows(world);
        if (answer.status >= 400) {
          assert.deepEqual(now, stored, what);
          const isPage = request.headers?.accept === 'text/html' && operation.path.startsWith('/l/');
          if (!isPage) assertError(answer, what);
        }
        stored = now;
      }
      for (const status of EXPECTED[engine]) assert.ok(statuses.has(status), `no ${status}`);
    });
  });

function makeRequest(random: RandomValues, operation: Operation, caller: Caller) {
  const headers = random.oneIn(5) ? random.pick(HEADERS) : undefined;
  let path = caller.pathOf(operation);
  if (random.oneIn(6)) {
    const parameters = [...operation.path.matchAll(/\{\w+\}/g)].map(([parameter]) => parameter);
    if (parameters.length > 0)
      path = caller.pathOf({
        ...operation,
        path: operation.path.replace(random.pick(parameters), random.pick(ESCAPES)),
      });
  }
  const names = Object.keys(operation.query);
  if (names.length > 0 && random.oneIn(2))
    path += `?${random.pick(names)}=${encodeURIComponent(random.pick(VALUES).slice(0, 100).replaceAll('"', ''))}`;
  return {
    path,
    ...(headers !== undefined && { headers }),
    ...(operation.body !== null && { rawBody: makeBody(random, operation, caller) }),
  };
}

/** A valid body with some fields replaced or removed, sometimes truncated. */
function makeBody(random: RandomValues, operation: Operation, caller: Caller): string {
  const body = structuredClone(caller.sample(operation));
  const values: string[] = [];
  for (const { path, required } of fieldsOf(operation.body ?? {})) {
    if (!random.oneIn(8)) {
      if (!required && random.oneIn(3)) remove(body, path);
      continue;
    }
    set(body, path, `(${values.length})`);
    values.push(random.pick(VALUES));
  }
  const text = JSON.stringify(body).replaceAll(
    /"\((\d+)\)"/g,
    (_, index: string) => values[Number(index)] ?? 'null',
  );
  return random.oneIn(25) ? text.slice(0, -2) : text;
}

function set(body: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const place = placeOf(body, path);
  if (place !== null) place[path.at(-1) ?? ''] = value;
}

function remove(body: Record<string, unknown>, path: readonly string[]): void {
  const place = placeOf(body, path);
  if (place !== null && !Array.isArray(place)) delete place[path.at(-1) ?? ''];
}

function placeOf(body: Record<string, unknown>, path: readonly string[]): Record<string, unknown> | null {
  let place: unknown = body;
  for (const name of path.slice(0, -1)) place = (place as Record<string, unknown> | undefined)?.[name];
  return typeof place === 'object' && place !== null ? (place as Record<string, unknown>) : null;
}
