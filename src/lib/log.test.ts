import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '../errors.ts';
import { createLog } from './log.ts';

const AWAY = { condition: 'database', text: 'The database is away' };

function start() {
  const lines: Record<string, unknown>[] = [];
  const conditionOf = (error: unknown) => ((error as Error | undefined)?.message === 'away' ? AWAY : null);
  const log = createLog('warn', { to: { write: (line) => lines.push(JSON.parse(line)) }, conditionOf });
  return { log, lines };
}

describe('the log', () => {
  it('shows a known condition once, whoever reports it, without a stack', () => {
    const { log, lines } = start();
    for (let count = 0; count < 1_000; count++) {
      log.error({ err: new Error('away'), requestId: `r-${count}`, route: '/v1/links' }, 'Request failed');
      log.warn({ err: new Error('away') }, 'Failed to claim deliveries');
    }
    assert.equal(lines.length, 1);
    const { time: _time, ...line } = lines[0] ?? {};
    assert.deepEqual(line, {
      level: 50,
      condition: 'database',
      route: '/v1/links',
      reason: 'away',
      first: 'Request failed',
      msg: 'The database is away',
    });
  });

  it('shows the stack of an unknown error, and the same error once', () => {
    const { log, lines } = start();
    for (let count = 0; count < 1_000; count++)
      log.error({ err: new TypeError(`row ${count} is bad`), requestId: `r-${count}` }, 'Request failed');
    assert.equal(lines.length, 1);
    assert.match(JSON.stringify(lines[0]), /log\.test\.ts/);
  });

  it('shows each of several errors, routes and apps', () => {
    const { log, lines } = start();
    log.error({ err: new TypeError('x is undefined'), route: '/a' }, 'Request failed');
    log.error({ err: new TypeError('y is undefined'), route: '/a' }, 'Request failed');
    log.error({ err: new TypeError('x is undefined'), route: '/b' }, 'Request failed');
    log.warn({ appId: 'one' }, 'An app has reached its limit');
    log.warn({ appId: 'two' }, 'An app has reached its limit');
    assert.equal(lines.length, 5);
  });

  it('shows an expected error without a stack, and its unknown cause with one', () => {
    const { log, lines } = start();
    log.error({ err: new AppError('postback.not_stored', { cause: new Error('odd') }) }, 'Request failed');
    const { stack, code, cause } = (lines[0]?.err ?? {}) as Record<string, unknown>;
    assert.deepEqual([stack, code], [undefined, 'postback.not_stored']);
    assert.match((cause as { stack: string }).stack, /log\.test\.ts/);
  });

  it('shows every line below a warning', () => {
    const lines: unknown[] = [];
    const log = createLog('info', { to: { write: (line) => lines.push(line) } });
    for (let count = 0; count < 3; count++) log.info('Database migrated');
    assert.equal(lines.length, 3);
  });
});
