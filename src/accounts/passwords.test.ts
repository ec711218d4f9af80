import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '../errors.ts';
import { createPasswords } from './passwords.ts';

describe('passwords', () => {
  const passwords = createPasswords();

  it('a hash accepts its password alone, whatever the composition of its characters', async () => {
    const stored = await passwords.hash('caf\u00e9 au lait');
    assert.match(stored, /^\$scrypt\$ln=15,r=8,p=3\$/);
    assert.equal(await passwords.isRight('cafe\u0301 au lait', stored), true);
    assert.equal(await passwords.isRight('cafe au lait', stored), false);
  });

  it('two hashes of one password differ', async () => {
    assert.notEqual(await passwords.hash('same password'), await passwords.hash('same password'));
  });

  it('an account without a password accepts none', async () => {
    assert.equal(await passwords.isRight('', null), false);
  });

  it('beyond two hashes in work and forty in line, further ones are refused at once', async () => {
    const cheap = `$scrypt$ln=8,r=8,p=1$c2FsdA$${'A'.repeat(43)}`;
    const results = await Promise.allSettled(
      Array.from({ length: 44 }, () => passwords.isRight('password', cheap)),
    );
    const refused = results.filter(({ status }) => status === 'rejected');
    assert.equal(refused.length, 2);
    for (const result of refused)
      assert.ok(
        result.status === 'rejected' &&
          result.reason instanceof AppError &&
          result.reason.code === 'server.busy',
      );
  });

  it('the event loop runs while a password is hashed', async () => {
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    await passwords.hash('password');
    clearInterval(timer);
    assert.ok(turns > 3, `${turns} turns`);
  });
});
