import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { givingWay } from './give-way.ts';

const PIECE_MS = 2;

describe('an export beside requests', () => {
  it('takes at most a twentieth of the time while many requests arrive', async () => {
    const server = { requests: 0 };
    const arriving = setInterval(() => {
      server.requests += 2;
    }, 1);
    // The first pieces find out that requests arrive.
    const looks = 5;
    let [count, startedMs] = [0, 0];
    for await (const _ of givingWay(work(looks + 20), server)) {
      count += 1;
      if (count === looks + 1) startedMs = performance.now();
    }
    clearInterval(arriving);
    const ms = performance.now() - startedMs;
    const atLeastMs = (count - looks - 1) * PIECE_MS * 19;
    assert.ok(ms >= atLeastMs, `${ms} ms for ${count} pieces; at least ${atLeastMs}`);
  });

  it('is not slowed to that by a hundred requests a second', async () => {
    const server = { requests: 0 };
    const arriving = setInterval(() => {
      server.requests += 1;
    }, 10);
    const pieces = 50;
    const startedMs = performance.now();
    for await (const _ of givingWay(work(pieces), server));
    clearInterval(arriving);
    const ms = performance.now() - startedMs;
    assert.ok(ms < (pieces * PIECE_MS * 20) / 2, `${ms} ms`);
  });

  it('pauses rarely while none do', async () => {
    const startedMs = performance.now();
    for await (const _ of givingWay(work(1_000, 0), { requests: 0 }));
    const ms = performance.now() - startedMs;
    // A pause after each piece would take more.
    assert.ok(ms < 1_000, `${ms} ms`);
  });

  it('ends its pieces when its reader leaves', async () => {
    let hasEnded = false;
    async function* pieces() {
      try {
        for (;;) yield 'piece';
      } finally {
        hasEnded = true;
      }
    }
    for await (const _ of givingWay(pieces(), { requests: 0 })) break;
    assert.equal(hasEnded, true);
  });
});

async function* work(count: number, eachMs = PIECE_MS): AsyncGenerator<number> {
  for (let piece = 0; piece < count; piece++) {
    const { user, system } = process.threadCpuUsage();
    for (;;) {
      const now = process.threadCpuUsage();
      if (now.user + now.system - user - system >= eachMs * 1_000) break;
    }
    yield piece;
  }
}
