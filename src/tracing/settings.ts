/** What OpenTelemetry's own variables say beyond what its packages read themselves: the exporter, its headers and limits. */
import { hash, randomBytes } from 'node:crypto';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * By `OTEL_TRACES_SAMPLER` and `OTEL_TRACES_SAMPLER_ARG`. A caller of a public service does not decide what is sampled: the
 * flag in its `traceparent` can only leave its own request out.
 * @returns a warning beside the default for a name that is not known.
 */
export function samplerOf(env: Env): { sampler: Sampler; warning: string | null } {
  const name = env.OTEL_TRACES_SAMPLER?.trim() || 'parentbased_always_on';
  const share = shareOf(env.OTEL_TRACES_SAMPLER_ARG);
  const roots: Readonly<Record<string, () => Sampler>> = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => ratioOf(share ?? 1),
  };
  const isByParent = name.startsWith('parentbased_');
  const makeRoot = roots[isByParent ? name.slice('parentbased_'.length) : name];
  const root = (makeRoot ?? roots.always_on)?.() as Sampler;
  const isKnown = makeRoot !== undefined && (share !== undefined || !name.endsWith('traceidratio'));
  return {
    sampler: isByParent || !isKnown ? new ParentBasedSampler({ root, remoteParentSampled: root }) : root,
    warning: isKnown
      ? null
      : 'OTEL_TRACES_SAMPLER or OTEL_TRACES_SAMPLER_ARG is not one that OpenTelemetry names: every request is traced',
  };
}

/** By a number that no caller knows for the trace: a caller chooses its ID, and could choose one that is always sampled. */
function ratioOf(share: number): Sampler {
  const ratio = new TraceIdRatioBasedSampler(share);
  const key = randomBytes(16).toString('hex');
  return {
    shouldSample: (context, traceId) =>
      ratio.shouldSample(context, hash('sha256', key + traceId).slice(0, traceId.length)),
    toString: () => ratio.toString(),
  };
}

/** From 0 to 1; 1 without it. Undefined for anything else. */
function shareOf(text: string | undefined): number | undefined {
  if (text === undefined || text.trim() === '') return 1;
  const share = Number(text);
  return share >= 0 && share <= 1 ? share : undefined;
}

/** `OTEL_BSP_…`: how many spans wait for the collector, and how they are sent. */
export function batchLimits(env: Env): {
  maxQueueSize: number;
  maxExportBatchSize: number;
  scheduledDelayMillis: number;
  exportTimeoutMillis: number;
} {
  const whole = (name: string, fallback: number) => {
    const value = Number(env[name]);
    return Number.isInteger(value) && value > 0 ? value : fallback;
  };
  const maxQueueSize = whole('OTEL_BSP_MAX_QUEUE_SIZE', 2_048);
  return {
    maxQueueSize,
    maxExportBatchSize: Math.min(maxQueueSize, whole('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512)),
    scheduledDelayMillis: whole('OTEL_BSP_SCHEDULE_DELAY', 5_000),
    exportTimeoutMillis: whole('OTEL_BSP_EXPORT_TIMEOUT', 30_000),
  };
}
