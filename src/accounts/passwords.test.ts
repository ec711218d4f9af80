import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, it } from 'node:test';
import type { Turn } from './hash-turns.ts';
import { createPasswords } from './passwords.ts';

const turn: Turn = {
  caller: 'test',
  isKnown: false,
  response: new ServerResponse(new IncomingMessage(new Socket())),
};

describe('passwords', () => {
  const passwords = createPasswords();

  it('a hash accepts its password alone, whatever the composition of its characters', async () => {
    const stored = await passwords.hash('caf\u00e9 au lait', turn);
    assert.match(stored, /^\$scrypt\$ln=15,r=8,p=3\$/);
    assert.equal(await passwords.isRight('cafe\u0301 au lait', stored, turn), true);
    assert.equal(await passwords.isRight('cafe au lait', stored, turn), false);
  });

  it('two hashes of one password differ', async () => {
    assert.notEqual(await passwords.hash('same password', turn), await passwords.hash('same password', turn));
  });

  it('an account without a password accepts none', async () => {
    assert.equal(await passwords.isRight('', null, turn), false);
  });

  it('the event loop runs while a password is hashed', async () => {
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    await passwords.hash('password', turn);
    clearInterval(timer);
    assert.ok(turns > 3, `${turns} turns`);
  });
});
