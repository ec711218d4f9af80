/** Loaded only where traces are wanted: OpenTelemetry's packages and what uses them. */
import { setGlobalErrorHandler } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { Counter, type Registry } from 'prom-client';
import { SECOND_MS } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { VERSION } from '../lib/version.ts';
import { BoundedProcessor, CountingExporter } from './bounded-exporter.ts';
import { type Database, follow } from './follow.ts';
import type { Tracing } from './index.ts';
import { batchLimits, samplerOf } from './settings.ts';

const PROTOCOL = 'http/protobuf';
/** A stop does not wait longer for a collector. */
const STOP_WITHIN_MS = 2 * SECOND_MS;

export function startExporting(
  env: Readonly<Record<string, string | undefined>>,
  log: Log,
  database: Database,
): Tracing {
  // What it would print of a failed export is counted.
  setGlobalErrorHandler(() => undefined);
  const { sampler, warning } = samplerOf(env);
  if (warning !== null) log.warn(warning);
  const protocol = env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? env.OTEL_EXPORTER_OTLP_PROTOCOL ?? PROTOCOL;
  if (protocol.trim() !== PROTOCOL)
    log.warn(`OTEL_EXPORTER_OTLP_PROTOCOL has no effect: traces are sent by ${PROTOCOL}`);
  const limits = batchLimits(env);
  const exporter = new CountingExporter(new OTLPTraceExporter(), log);
  const processor = new BoundedProcessor(
    new BatchSpanProcessor({ exporter, ...limits }),
    exporter,
    limits.maxQueueSize,
  );
  const provider = new TracerProvider({
    sampler,
    spanProcessors: [processor],
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'throughline', 'service.version': VERSION }))
      .merge(detectResources({ detectors: [envDetector] })),
  });
  const stopFollowing = follow(provider.getTracer('throughline', VERSION), database);
  return {
    countIn(metrics: Registry) {
      new Counter({
        name: 'throughline_trace_spans_total',
        help: 'Spans, by what became of them: sent, failed (the collector did not take them), dropped (too many waited)',
        labelNames: ['outcome'],
        registers: [metrics],
        collect() {
          this.reset();
          for (const [outcome, count] of Object.entries(exporter.counts)) this.inc({ outcome }, count);
        },
      });
    },
    async stop() {
      stopFollowing();
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, STOP_WITHIN_MS);
      await Promise.race([provider.shutdown().catch(() => undefined), promise]);
      clearTimeout(timer);
    },
  };
}
