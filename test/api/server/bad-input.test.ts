/** Invalid bodies get the right status and a clear error, and store nothing. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { neutralEngines } from '../../helpers/engines.ts';
import { Caller, type Operation, operationsOf, typesOf } from '../../helpers/operations.ts';
import { liftRateLimits } from '../../helpers/rate-limits.ts';
import { leavesNothing, type Refusals } from '../../helpers/refusal.ts';
import { useWorld } from '../../helpers/world.ts';
import { fieldsOf, nameOf, textWith, wrongValuesOf } from '../../helpers/wrong-values.ts';

const INVALID_JSON = [
  '',
  ' ',
  '{',
  '{"a":}',
  "{'a':1}",
  '{"a":1}{"b":2}',
  'undefined',
  '{"a":NaN}',
  '{"a":01}',
  '{]',
];
const NON_OBJECTS = ['null', '[]', '[{}]', '"text"', '1', 'true'];
const INVALID_ESCAPES = ['\\u0000', '\\ud800', '\\udfff', 'x\\ud83dx'];
/** An impossible byte, a truncated sequence, a surrogate, an overlong form, a code point out of range. */
const INVALID_UTF8 = [[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xc0, 0xaf], [0xf4, 0x90, 0x80, 0x80]];

/** What networks and stores tell the app: one of a wrong form is dropped and costs no install. */
const EXTRAS = /^(appleAdsToken|metaReferrer|referrerClickTimestamp(Server)?Seconds)$/;
/** Takes what it can use of a body: a sender that nobody can mend repeats the same bytes and gives up. */
const LENIENT = '/v1/integrations/revenuecat/{appId}';

// Bodies are rejected before any query, so one engine is enough.
for (const engine of neutralEngines)
  describe('an invalid body', () => {
    const world = useWorld(engine);
    liftRateLimits();
    let caller: Caller;
    let operations: Operation[];
    before(async () => {
      caller = await Caller.of(world);
      operations = operationsOf(world).filter(({ body }) => body !== null);
      assert.ok(operations.length >= 11, 'the OpenAPI document has too few operations');
    });

    const strict = () => operations.filter(({ path }) => path !== LENIENT);

    /** Sends the bodies that `bodies` derives from a valid body to every operation with a body. */
    async function sendToAll(
      refusals: Refusals,
      bodies: (valid: Record<string, unknown>) => readonly (string | Buffer)[],
      statuses: readonly number[] = [400],
      of: readonly Operation[] = operations,
    ): Promise<void> {
      for (const operation of of)
        for (const rawBody of bodies(caller.sample(operation))) {
          if (rawBody === '' && takesNoBody(operation)) continue;
          refusals.check(await caller.call(operation, { rawBody }), statuses, label(operation, rawBody));
        }
    }

    it('that is not a JSON object is rejected', () =>
      leavesNothing(world, (refusals) => sendToAll(refusals, () => [...INVALID_JSON, ...NON_OBJECTS])));

    it('with a field of the wrong type or out of bounds is rejected, and the error names the field', () =>
      leavesNothing(world, async (refusals) => {
        for (const operation of operations)
          for (const at of fieldsOf(operation.body ?? {}).filter(isStrict))
            for (const value of wrongValuesOf(at)) {
              const rawBody = textWith(caller.sample(operation), at.path, value);
              const answer = await caller.call(operation, { rawBody });
              // An endpoint with its key in the body checks the key first.
              const status = nameOf(at) === 'apiKey' ? [400, 401] : 400;
              refusals.check(answer, status, label(operation, `${at.path.join('.')}: ${value}`), nameOf(at));
            }
      }));

    it('without a required field is rejected, and the error names the field', () =>
      leavesNothing(world, async (refusals) => {
        for (const operation of operations)
          for (const at of fieldsOf(operation.body ?? {}).filter(isStrict)) {
            if (!at.required) continue;
            const rawBody = textWith(caller.sample(operation), at.path, null);
            const status = nameOf(at) === 'apiKey' ? 401 : 400;
            refusals.check(
              await caller.call(operation, { rawBody }),
              status,
              label(operation, rawBody),
              nameOf(at),
            );
          }
      }));

    it('with NUL or half a surrogate pair in any string or name is rejected', () =>
      leavesNothing(world, async (refusals) => {
        for (const operation of strict())
          for (const at of fieldsOf(operation.body ?? {})) {
            if (!typesOf(at.field).includes('string')) continue;
            for (const bad of INVALID_ESCAPES) {
              const rawBody = textWith(caller.sample(operation), at.path, `"a${bad}b"`);
              refusals.check(await caller.call(operation, { rawBody }), 400, label(operation, rawBody));
            }
          }
        await sendToAll(
          refusals,
          (valid) =>
            INVALID_ESCAPES.flatMap((bad) => [
              withExtra(valid, `"a${bad}":1`),
              withExtra(valid, `"extra":{"a${bad}":1}`),
              withExtra(valid, `"extra":[["${bad}"]]`),
            ]),
          [400],
          strict(),
        );
      }));

    it('with a field named __proto__ is rejected at any depth, and changes no object', async () => {
      await leavesNothing(world, (refusals) =>
        sendToAll(
          refusals,
          (valid) => [
            withExtra(valid, '"__proto__":{"a":1}'),
            withExtra(valid, '"extra":{"__proto__":null}'),
            withExtra(valid, '"extra":[{"__pr\\u006fto__":{"a":1}}]'),
          ],
          [400],
          strict(),
        ),
      );
      assert.equal(({} as { a?: unknown }).a, undefined);
    });

    it('that is nested too deeply is rejected at any depth', () =>
      leavesNothing(world, (refusals) =>
        sendToAll(
          refusals,
          (valid) =>
            [65, 2_500, 10_000, 40_000].flatMap((depth) => {
              const lists = `${'['.repeat(depth)}${']'.repeat(depth)}`;
              const objects = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
              return [
                lists,
                objects,
                withExtra(valid, `"extra":${lists}`),
                withExtra(valid, `"extra":${objects}`),
              ];
            }),
          // Postbacks have a lower size limit.
          [400, 413],
          strict(),
        ),
      ));

    it('that is not valid UTF-8 is rejected', () =>
      leavesNothing(world, (refusals) =>
        sendToAll(refusals, (valid) =>
          INVALID_UTF8.map((bytes) => {
            const [start = '', end = ''] = withExtra(valid, '"extra":"(here)"').split('(here)');
            return Buffer.concat([Buffer.from(start), Buffer.from(bytes), Buffer.from(end)]);
          }),
        ),
      ));
  });

function isStrict({ path }: { readonly path: readonly (string | number)[] }): boolean {
  return !path.some((name) => EXTRAS.test(String(name)));
}

/** None of its fields is required, and the command line calls it without a body. */
function takesNoBody({ path }: Operation): boolean {
  return path === '/v1/admin/users/setup' || path.endsWith('/keys/{keyId}/rotation');
}

/** JSON text of a valid body with an extra field before the others. */
function withExtra(valid: Record<string, unknown>, field: string): string {
  return `{${field},${JSON.stringify(valid).slice(1)}`.replace(/,}$/, '}');
}

function label({ method, path }: Operation, body: string | Buffer): string {
  return `${method} ${path} ${body.toString('latin1').slice(0, 90)}`;
}
