import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { beforeEach, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '../errors.ts';
import { createHashTurns } from './hash-turns.ts';

describe('turns', () => {
  let turns: ReturnType<typeof createHashTurns>;
  let done: string[];
  let finish: (() => void)[];
  beforeEach(() => {
    turns = createHashTurns();
    done = [];
    finish = [];
  });
  const responseOf = () => new ServerResponse(new IncomingMessage(new Socket()));
  /** Joins the line as `name`, whose caller is its first word; the work lasts until `complete`. */
  const join = (name: string, { isKnown = false, response = responseOf() } = {}) =>
    turns
      .run({ caller: name.split(' ', 1)[0] ?? '', isKnown, response }, () => {
        done.push(name);
        return new Promise<void>((resolve) => finish.push(resolve));
      })
      .then(
        () => 'done',
        (error: unknown) => (error instanceof AppError ? error.code : String(error)),
      );
  const completeAll = async () => {
    for (let end = finish.shift(); end !== undefined; end = finish.shift()) {
      end();
      await nextTurn();
    }
  };

  it('callers with many requests wait round robin with those of one', async () => {
    for (const name of ['a 1', 'a 2', 'a 3', 'a 4', 'b 1', 'b 2', 'c 1']) void join(name);
    await completeAll();
    assert.deepEqual(done, ['a 1', 'a 2', 'a 3', 'b 1', 'c 1', 'a 4', 'b 2']);
  });

  it('a third request of a caller that waits is refused, and nobody else', async () => {
    const all = ['a 1', 'a 2', 'a 3', 'a 4', 'a 5', 'b 1'].map((name) => join(name));
    await completeAll();
    assert.deepEqual(await Promise.all(all), ['done', 'done', 'done', 'done', 'server.busy', 'done']);
  });

  it('who is known goes before all strangers, also where these fill their line', async () => {
    const strangers = Array.from({ length: 44 }, (_, number) => join(`${number} 1`));
    const known = join('ada 1', { isKnown: true });
    await completeAll();
    assert.equal(await known, 'done');
    assert.equal(done.indexOf('ada 1'), 2);
    const refused = (await Promise.all(strangers)).filter((outcome) => outcome === 'server.busy');
    assert.equal(refused.length, 2, 'beyond two in work and forty in line');
  });

  it('a client that leaves loses its place, which is free for others', async () => {
    const [response, left] = [responseOf(), responseOf()];
    left.destroy();
    for (const name of ['a 1', 'a 2']) void join(name);
    const gone = [join('b 1', { response }), join('b 2', { response: left })];
    await nextTurn();
    response.emit('close');
    assert.deepEqual(await Promise.all(gone), ['server.busy', 'server.busy']);
    const others = ['b 3', 'b 4'].map((name) => join(name));
    await completeAll();
    assert.deepEqual(await Promise.all(others), ['done', 'done']);
    assert.deepEqual(done, ['a 1', 'a 2', 'b 3', 'b 4']);
  });
});
