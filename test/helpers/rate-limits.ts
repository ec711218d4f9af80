import { randomUUID } from 'node:crypto';
import { after, before, mock } from 'node:test';
import { RateLimiterMemory, RateLimiterPostgres } from 'rate-limiter-flexible';

/** Gives each request of the suite a window of its own, for more requests of one app than any limit permits. */
export function liftRateLimits(): void {
  const lifted: { mock: { restore(): void } }[] = [];
  before(() => {
    for (const { prototype } of [RateLimiterMemory, RateLimiterPostgres]) {
      const { consume } = prototype;
      lifted.push(
        mock.method(
          prototype,
          'consume',
          function (this: RateLimiterMemory, _caller: string, points: number) {
            return consume.call(this, randomUUID(), points);
          },
        ),
      );
    }
  });
  after(() => {
    for (const method of lifted) method.mock.restore();
  });
}
