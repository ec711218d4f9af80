import { Histogram } from 'prom-client';
import type { Ctx } from '../ctx.ts';
import type { Api } from './server.ts';

const NAME = 'throughline_http_request_duration_seconds';
const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** How long answers take, by route, so that no path of a visitor's making becomes a label. */
export function requestDurations(ctx: Ctx): Histogram<'method' | 'route' | 'status'> {
  const known = ctx.metrics.getSingleMetric(NAME);
  if (known instanceof Histogram) return known;
  return new Histogram({
    name: NAME,
    help: 'From the arrival of a request to the end of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS_SECONDS,
    registers: [ctx.metrics],
  });
}

/** Times every answer of the routes in this scope. */
export function measureRequests(scope: Api, ctx: Ctx): void {
  const durations = requestDurations(ctx);
  scope.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none';
    durations.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1_000);
    done();
  });
}
