import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError, toApiError } from './error.ts';

describe('what went wrong, in words', () => {
  const refused = new ApiError('Too many.', 'rate.limited', 429);
  for (const [error, code] of [
    [new TypeError('Failed to fetch'), 'network.failed'],
    [new TypeError('NetworkError when attempting to fetch resource.'), 'network.failed'],
    [new TypeError('Load failed'), 'network.failed'],
    [new TypeError('network error'), 'network.failed'],
    [new TypeError('Failed to fetch dynamically imported module: http://x/a.js'), 'console.not_loaded'],
    [new TypeError('error loading dynamically imported module: http://x/a.js'), 'console.not_loaded'],
    [new TypeError('Importing a module script failed.'), 'console.not_loaded'],
    [refused, 'rate.limited'],
    [new RangeError('Invalid time value'), 'console.failed'],
  ] as const)
    it(`${error.message}: ${code}, and no browser’s words for a network that fails`, () => {
      const { code: told, message } = toApiError(error);
      assert.equal(told, code);
      if (/^(network|console.not)/.test(code)) assert.doesNotMatch(message, /TypeError|fetch|module/);
    });
});
