/** A body that is not what the endpoint takes: a clear answer with the right status, and nothing half-written. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { engines } from './engines.ts';
import { Caller, type Operation, operationsOf, typesOf } from './operations.ts';
import { leavesNothing, type Refusals } from './refusal.ts';
import { useWorld } from './world.ts';
import { fieldsOf, nameOf, textWith, wrongValuesOf } from './wrong-values.ts';

const NO_JSON = [
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
const NO_OBJECTS = ['null', '[]', '[{}]', '"text"', '1', 'true'];
const NO_TEXT = ['\\u0000', '\\ud800', '\\udfff', 'x\\ud83dx'];
/** A byte that never occurs, a cut sequence, a surrogate, an overlong form, beyond the last character. */
const NO_UTF8 = [[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xc0, 0xaf], [0xf4, 0x90, 0x80, 0x80]];

for (const engine of engines)
  describe(`a bad body on ${engine}`, () => {
    const world = useWorld(engine);
    let caller: Caller;
    let operations: Operation[];
    before(async () => {
      caller = await Caller.of(world);
      operations = operationsOf(world).filter(({ body }) => body !== null);
      assert.ok(operations.length >= 11, 'the document describes too few operations');
    });

    /** Sends to every operation that takes a body what `bodies` makes of a valid one. */
    async function sendToAll(
      refusals: Refusals,
      bodies: (valid: Record<string, unknown>) => readonly (string | Buffer)[],
      statuses: readonly number[] = [400],
    ): Promise<void> {
      for (const operation of operations)
        for (const rawBody of bodies(caller.sample(operation)))
          refusals.check(await caller.call(operation, { rawBody }), statuses, label(operation, rawBody));
    }

    it('that is no JSON object is refused', () =>
      leavesNothing(world, (refusals) => sendToAll(refusals, () => [...NO_JSON, ...NO_OBJECTS])));

    it('with a field of the wrong type or out of its bounds is refused, and the field is named', () =>
      leavesNothing(world, async (refusals) => {
        for (const operation of operations)
          for (const at of fieldsOf(operation.body ?? {}))
            for (const value of wrongValuesOf(at)) {
              const rawBody = textWith(caller.sample(operation), at.path, value);
              const answer = await caller.call(operation, { rawBody });
              // The key of one endpoint is a field of its body.
              const status = nameOf(at) === 'apiKey' ? [400, 401] : 400;
              refusals.check(answer, status, label(operation, `${at.path.join('.')}: ${value}`), nameOf(at));
            }
      }));

    it('without a field that is required is refused, and the field is named', () =>
      leavesNothing(world, async (refusals) => {
        for (const operation of operations)
          for (const at of fieldsOf(operation.body ?? {})) {
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

    it('with NUL or half a surrogate pair in any string or any name is refused', () =>
      leavesNothing(world, async (refusals) => {
        for (const operation of operations)
          for (const at of fieldsOf(operation.body ?? {})) {
            if (!typesOf(at.field).includes('string')) continue;
            for (const bad of NO_TEXT) {
              const rawBody = textWith(caller.sample(operation), at.path, `"a${bad}b"`);
              refusals.check(await caller.call(operation, { rawBody }), 400, label(operation, rawBody));
            }
          }
        await sendToAll(refusals, (valid) =>
          NO_TEXT.flatMap((bad) => [
            withExtra(valid, `"a${bad}":1`),
            withExtra(valid, `"extra":{"a${bad}":1}`),
            withExtra(valid, `"extra":[["${bad}"]]`),
          ]),
        );
      }));

    it('with a field named __proto__ is refused at any depth, and changes no object', async () => {
      await leavesNothing(world, (refusals) =>
        sendToAll(refusals, (valid) => [
          withExtra(valid, '"__proto__":{"a":1}'),
          withExtra(valid, '"extra":{"__proto__":null}'),
          withExtra(valid, '"extra":[{"__pr\\u006fto__":{"a":1}}]'),
        ]),
      );
      assert.equal(({} as { a?: unknown }).a, undefined);
    });

    it('that is nested deeply is refused, however deeply', () =>
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
          // Postbacks may be small only.
          [400, 413],
        ),
      ));

    it('with bytes that are no UTF-8 is refused', () =>
      leavesNothing(world, (refusals) =>
        sendToAll(refusals, (valid) =>
          NO_UTF8.map((bytes) => {
            const [start = '', end = ''] = withExtra(valid, '"extra":"(here)"').split('(here)');
            return Buffer.concat([Buffer.from(start), Buffer.from(bytes), Buffer.from(end)]);
          }),
        ),
      ));
  });

/** JSON text of a valid body with one more field before the others. */
function withExtra(valid: Record<string, unknown>, field: string): string {
  return `{${field},${JSON.stringify(valid).slice(1)}`.replace(/,}$/, '}');
}

function label({ method, path }: Operation, body: string | Buffer): string {
  return `${method} ${path} ${body.toString('latin1').slice(0, 90)}`;
}
