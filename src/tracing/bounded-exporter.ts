import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace';
import type { Log } from '../lib/log.ts';

/** Spans since the start, by what became of them. */
export interface SpanCounts {
  sent: number;
  /** The collector did not take them. */
  failed: number;
  /** They found the queue full. */
  dropped: number;
}

/** Tells what became of spans: a count for each outcome, and one line of the log while a collector does not take them. */
export class CountingExporter implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #log: Log;
  readonly counts: SpanCounts = { sent: 0, failed: 0, dropped: 0 };
  /** Ended, and neither sent nor failed. */
  waiting = 0;

  constructor(exporter: SpanExporter, log: Log) {
    this.#exporter = exporter;
    this.#log = log;
  }

  export(spans: ReadableSpan[], resultCallback: (result: ExportResult) => void): void {
    this.#exporter.export(spans, (result) => {
      this.waiting -= spans.length;
      const isSent = result.code === ExportResultCode.SUCCESS;
      this.counts[isSent ? 'sent' : 'failed'] += spans.length;
      if (isSent) this.#log.warn({ over: CONDITION }, 'The collector takes traces again');
      else this.#log.warn({ condition: CONDITION, code: codeOf(result.error) }, LINE);
      resultCallback(result);
    });
  }

  async shutdown(): Promise<void> {
    await this.#exporter.shutdown();
  }
}

const CONDITION = 'traces not sent';
const LINE =
  'The collector of OTEL_EXPORTER_OTLP_ENDPOINT does not take traces. They are dropped; the service is not affected (docs/guide/monitoring.md)';

/** A status or a name of the network, if one is known. The error's text may have the collector's answer. */
function codeOf(error: Error | undefined): string | undefined {
  const code = String((error as { code?: unknown } | undefined)?.code);
  return /^[A-Z\d_]+$/.test(code) ? code : undefined;
}

/** Passes spans on while the queue has room, as the processor behind it would, but with a count. */
export class BoundedProcessor implements SpanProcessor {
  readonly #processor: SpanProcessor;
  readonly #exporter: CountingExporter;
  readonly #maxQueueSize: number;

  constructor(processor: SpanProcessor, exporter: CountingExporter, maxQueueSize: number) {
    this.#processor = processor;
    this.#exporter = exporter;
    this.#maxQueueSize = maxQueueSize;
  }

  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    if (this.#exporter.waiting >= this.#maxQueueSize) {
      this.#exporter.counts.dropped += 1;
      return;
    }
    this.#exporter.waiting += 1;
    this.#processor.onEnd(span);
  }

  async forceFlush(): Promise<void> {
    await this.#processor.forceFlush();
  }

  async shutdown(): Promise<void> {
    await this.#processor.shutdown();
  }
}
