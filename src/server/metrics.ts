import type { Histogram } from 'prom-client';
import type { Foundation } from '../foundation.ts';
import { requestRouted } from '../lib/channels.ts';
import type { Api } from './server.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The response ends with the client: its duration says nothing about the server. */
    isEndless?: boolean;
  }
}

const NAME = 'throughline_http_request_duration_seconds';
export const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

interface Labels {
  readonly method: string;
  /** The pattern of the route: clients choose paths, so a path must not become a label. */
  readonly route: string;
  readonly status: number;
}

interface Value {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** The histogram of one set of labels. */
class Durations {
  readonly #labels: Labels;
  /** Per bucket, not cumulative; the last is `+Inf`. */
  readonly #counts = new Float64Array(BUCKETS_SECONDS.length + 1);
  #sumSeconds = 0;

  constructor(labels: Labels) {
    this.#labels = labels;
  }

  observe(seconds: number): void {
    let bucket = 0;
    while (seconds > (BUCKETS_SECONDS[bucket] as number)) bucket += 1;
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1;
    this.#sumSeconds += seconds;
  }

  totals(): Labels & { readonly counts: readonly number[] } {
    return { ...this.#labels, counts: [...this.#counts] };
  }

  /** In the form of Prometheus, whose buckets are cumulative. */
  values(): Value[] {
    let count = 0;
    const buckets = Array.from(this.#counts, (observed, bucket): Value => {
      count += observed;
      const labels = { le: BUCKETS_SECONDS[bucket] ?? '+Inf', ...this.#labels };
      return { metricName: `${NAME}_bucket`, labels, value: count };
    });
    const labels = { ...this.#labels };
    return [
      ...buckets,
      { metricName: `${NAME}_sum`, labels, value: this.#sumSeconds },
      { metricName: `${NAME}_count`, labels, value: count },
    ];
  }
}

/** A histogram. The one of prom-client hashes the labels for every observation, which takes 3 of the 50 µs of a short response. */
class RequestDurations {
  readonly name = NAME;
  readonly #durations = new Map<string, Durations>();

  /** Callers on a hot path keep the result. */
  of(labels: Labels): Durations {
    const key = `${labels.method} ${labels.status} ${labels.route}`;
    let durations = this.#durations.get(key);
    if (durations === undefined) {
      durations = new Durations(labels);
      this.#durations.set(key, durations);
    }
    return durations;
  }

  /** All responses since the start, by labels; the counts are by bucket of `BUCKETS_SECONDS`, the last of what took longer. */
  totals(): (Labels & { readonly counts: readonly number[] })[] {
    return [...this.#durations.values()].map((durations) => durations.totals());
  }

  /** The registry calls it for each scrape. */
  async get() {
    return {
      name: this.name,
      help: 'From the arrival of a request to the end of its response',
      type: 'histogram',
      values: [...this.#durations.values()].flatMap((durations) => durations.values()),
    };
  }
}

/** One instance per registry. */
export function requestDurations({ metrics }: Pick<Foundation, 'metrics'>): RequestDurations {
  const known: unknown = metrics.getSingleMetric(NAME);
  if (known instanceof RequestDurations) return known;
  const durations = new RequestDurations();
  // The registry uses `name` and `get` only.
  metrics.registerMetric(durations as unknown as Histogram);
  return durations;
}

/** Measures every response of the routes in this scope. */
export function measureRequests(scope: Api, { metrics }: Pick<Foundation, 'metrics'>): void {
  const durations = requestDurations({ metrics });
  scope.addHook('onResponse', ({ method, routeOptions, raw }, reply, done) => {
    if (requestRouted.hasSubscribers && routeOptions.url !== undefined)
      requestRouted.publish({ request: raw, route: routeOptions.url });
    if (routeOptions.config.isEndless === true && reply.statusCode === 200) {
      done();
      return;
    }
    const labels = { method, route: routeOptions.url ?? 'none', status: reply.statusCode };
    durations.of(labels).observe(reply.elapsedTime / 1_000);
    done();
  });
}
