import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ROOT_CONTEXT, SpanKind, TraceFlags, trace } from '@opentelemetry/api';
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import {
  BatchSpanProcessor,
  type ReadableSpan,
  SamplingDecision,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { createLog } from '../lib/log.ts';
import { BoundedProcessor, CountingExporter } from './bounded-exporter.ts';
import { batchLimits, samplerOf } from './settings.ts';
import { isWanted } from './wanted.ts';

type Done = (result: ExportResult) => void;

function open(maxQueueSize: number) {
  const pending: { spans: number; done: Done }[] = [];
  const lines: string[] = [];
  const collector = {
    export: (spans: ReadableSpan[], done: Done) => void pending.push({ spans: spans.length, done }),
    shutdown: async () => undefined,
  };
  const exporter = new CountingExporter(
    collector,
    createLog('warn', { to: { write: (line) => void lines.push(line) } }),
  );
  const batch = new BatchSpanProcessor({ exporter, maxQueueSize, maxExportBatchSize: maxQueueSize });
  const provider = new TracerProvider({
    spanProcessors: [new BoundedProcessor(batch, exporter, maxQueueSize)],
  });
  const tracer = provider.getTracer('test');
  const end = (spans: number) => {
    for (let count = 0; count < spans; count++) tracer.startSpan('one').end();
  };
  return { exporter, pending, lines, end };
}

describe('spans', () => {
  it('wait for a slow collector up to a bound, and are dropped with a count beyond it', () => {
    const { exporter, pending, end } = open(10);
    end(25);
    assert.deepEqual(exporter.counts, { sent: 0, failed: 0, dropped: 15 });
    assert.equal(pending.length, 1);
    pending[0]?.done({ code: ExportResultCode.SUCCESS });
    assert.deepEqual([exporter.counts.sent, exporter.waiting], [10, 0]);
    end(1);
    assert.equal(exporter.counts.dropped, 15);
  });

  it('that a collector refuses are counted, with one line of the log, which has the code alone', async () => {
    const { exporter, pending, lines, end } = open(5);
    const error = Object.assign(new Error('it said ada@example.com'), { code: 401 });
    for (let round = 0; round < 3; round++) {
      end(5);
      pending[round]?.done({ code: ExportResultCode.FAILED, error });
      await new Promise(setImmediate);
    }
    assert.equal(exporter.counts.failed, 15);
    assert.equal(lines.length, 1);
    assert.equal(JSON.parse(lines[0] ?? '').code, '401');
    assert.doesNotMatch(lines[0] ?? '', /ada/);
  });
});

describe('the variables of OpenTelemetry', () => {
  const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
  for (const [env, wanted] of [
    [{}, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }, false],
    [ENDPOINT, true],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/v1/traces' }, true],
    [{ ...ENDPOINT, OTEL_SDK_DISABLED: 'true' }, false],
    [{ ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' }, false],
  ] as const)
    it(`${JSON.stringify(env)} ${wanted ? 'starts' : 'starts no'} traces`, () => {
      assert.equal(isWanted(env), wanted);
    });

  for (const [name, argument, shown] of [
    [undefined, undefined, 'ParentBased{root=AlwaysOnSampler'],
    ['always_off', undefined, 'AlwaysOffSampler'],
    ['traceidratio', '0.25', 'TraceIdRatioBased{0.25}'],
    [
      'parentbased_traceidratio',
      '0.25',
      'ParentBased{root=TraceIdRatioBased{0.25}, remoteParentSampled=TraceIdRatioBased{0.25}',
    ],
  ] as const)
    it(`the sampler ${name} with ${argument} is ${shown}`, () => {
      const { sampler, warning } = samplerOf({
        OTEL_TRACES_SAMPLER: name,
        OTEL_TRACES_SAMPLER_ARG: argument,
      });
      assert.ok(sampler.toString().startsWith(shown), sampler.toString());
      assert.equal(warning, null);
    });

  it('sample the same share of traces whose ID a caller chose', () => {
    for (const name of ['traceidratio', 'parentbased_traceidratio']) {
      const { sampler } = samplerOf({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: '0.001' });
      const sampled = Array.from({ length: 200 }, (_, index) => {
        const half = (index + 1).toString(16).padStart(8, '0').repeat(2);
        const traceId = half + half;
        const parent = {
          traceId,
          spanId: '00f067aa0ba902b7',
          traceFlags: TraceFlags.SAMPLED,
          isRemote: true,
        };
        const context = trace.setSpanContext(ROOT_CONTEXT, parent);
        return sampler.shouldSample(context, traceId, 'GET', SpanKind.SERVER, {}, []).decision;
      }).filter((decision) => decision === SamplingDecision.RECORD_AND_SAMPLED);
      assert.ok(sampled.length < 20, `${sampled.length} of 200`);
    }
  });

  it('that name no sampler are told of', () => {
    for (const env of [
      { OTEL_TRACES_SAMPLER: 'some' },
      { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '2' },
    ])
      assert.match(samplerOf(env).warning ?? '', /OTEL_TRACES_SAMPLER/);
  });

  it('bound the queue, and the batch by the queue', () => {
    assert.deepEqual(batchLimits({ OTEL_BSP_MAX_QUEUE_SIZE: '100', OTEL_BSP_SCHEDULE_DELAY: 'soon' }), {
      maxQueueSize: 100,
      maxExportBatchSize: 100,
      scheduledDelayMillis: 5_000,
      exportTimeoutMillis: 30_000,
    });
  });
});
