/** Makes spans of what the channels of `lib/channels.ts` tell. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';
import * as channels from '../lib/channels.ts';
import { MINUTE_MS, monotonicMs, systemClock } from '../lib/clock.ts';

/** Probes and scrapes come all day and tell nothing. */
const UNTRACED: readonly string[] = ['/healthz', '/readyz', '/metrics'];
const SERVER_ERROR = 500;
/** Most run every second and find nothing to do. */
const LOOP_EVERY_MS = MINUTE_MS;

interface Current {
  readonly context: Context;
  readonly span: Span;
}

/** What a tracing channel's events carry. */
interface Message extends channels.Work {
  error?: unknown;
}

/** As OpenTelemetry names them. */
export type Database = 'postgresql' | 'sqlite';

/** @returns stops following. */
export function follow(tracer: Tracer, database: Database): () => void {
  const current = new AsyncLocalStorage<Current | undefined>();
  const stops = [
    followRequests(tracer, current),
    followStatements(tracer, current, database),
    followWork(tracer, current, { channel: channels.steps, kind: SpanKind.INTERNAL, isStep: true }),
    followWork(tracer, current, { channel: channels.tasks, kind: SpanKind.CLIENT, isStep: false }),
    followWork(tracer, current, {
      ...{ channel: channels.loopRuns, kind: SpanKind.INTERNAL, isStep: false },
      isWanted: atMostEvery(LOOP_EVERY_MS),
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

type Store = AsyncLocalStorage<Current | undefined>;

function begin(tracer: Tracer, name: string, kind: SpanKind, { parent, attributes }: BeginOptions): Current {
  const span = tracer.startSpan(name, { kind, attributes }, parent);
  return { span, context: trace.setSpan(parent, span) };
}

interface BeginOptions {
  readonly parent: Context;
  readonly attributes: Attributes;
}

function followRequests(tracer: Tracer, store: Store): () => void {
  const open = new WeakMap<IncomingMessage, Current>();
  channels.requestStarted.bindStore(store, (message) => {
    const { request, response } = message as channels.RequestStarted;
    const { method = '', url = '', headers } = request;
    const [path = ''] = url.split('?', 1);
    if (UNTRACED.includes(path)) return undefined;
    const parent = parentOf(headers.traceparent);
    // The path itself may be that of a person's link: the route stands for it.
    const began = begin(tracer, method, SpanKind.SERVER, {
      parent,
      attributes: { 'http.request.method': method, 'url.scheme': 'http' },
    });
    if (!began.span.isRecording()) return undefined;
    open.set(request, began);
    response.once('close', () => {
      const { span } = began;
      open.delete(request);
      span.setAttribute('http.response.status_code', response.statusCode);
      if (response.statusCode >= SERVER_ERROR) span.setStatus({ code: SpanStatusCode.ERROR });
      if (!response.writableFinished) span.setAttribute('error.type', 'client_gone');
      span.end();
    });
    return began;
  });
  channels.requestResumed.bindStore(store, (message) =>
    open.get((message as channels.RequestStarted).request),
  );
  const named = (message: unknown) => {
    const { request, route } = message as { request: IncomingMessage; route: string };
    open.get(request)?.span.updateName(`${request.method} ${route}`).setAttribute('http.route', route);
  };
  channels.requestRouted.subscribe(named);
  return () => {
    channels.requestStarted.unbindStore(store);
    channels.requestResumed.unbindStore(store);
    channels.requestRouted.unsubscribe(named);
  };
}

/** W3C Trace Context; anything else begins a trace. */
function parentOf(header: string | string[] | undefined): Context {
  const given = typeof header === 'string' ? parseTraceParent(header) : null;
  return given === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...given, isRemote: true });
}

/** Statements are parts of something, and none after its end: what a request wakes goes on for others. */
function followStatements(tracer: Tracer, store: Store, database: Database): () => void {
  const ended = (message: unknown) => {
    const { operation, table, ms, hasFailed } = message as channels.Statement;
    const current = store.getStore();
    if (current?.span.isRecording() !== true) return;
    const endedAt = systemClock.nowMs();
    const span = tracer.startSpan(
      table === null ? operation : `${operation} ${table}`,
      {
        kind: SpanKind.CLIENT,
        startTime: endedAt - ms,
        attributes: {
          'db.system.name': database,
          'db.operation.name': operation,
          ...(table !== null && { 'db.collection.name': table }),
        },
      },
      current.context,
    );
    if (hasFailed) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(endedAt);
  };
  channels.statementEnded.subscribe(ended);
  return () => void channels.statementEnded.unsubscribe(ended);
}

interface FollowedWork {
  readonly channel: typeof channels.steps;
  readonly kind: SpanKind;
  /** Only within something that is traced. */
  readonly isStep: boolean;
  readonly isWanted?: (name: string) => boolean;
}

function followWork(
  tracer: Tracer,
  store: Store,
  { channel, kind, isStep, isWanted = () => true }: FollowedWork,
): () => void {
  const open = new WeakMap<object, Span>();
  channel.start.bindStore(store, (message) => {
    const { name, attributes } = message as Message;
    const outer = store.getStore();
    if (isStep && outer?.span.isRecording() !== true) return outer;
    if (!isWanted(name)) return undefined;
    const began = begin(tracer, name, kind, {
      parent: isStep ? (outer?.context ?? ROOT_CONTEXT) : ROOT_CONTEXT,
      attributes,
    });
    open.set(message as object, began.span);
    return began;
  });
  const subscribers = {
    asyncEnd(message: unknown) {
      const { attributes, error } = message as Message;
      const span = open.get(message as object);
      if (span === undefined) return;
      span.setAttributes(attributes);
      if (error !== undefined || attributes['error.type'] !== undefined)
        span.setStatus({ code: SpanStatusCode.ERROR });
      // The name alone: a message may quote what a person sent.
      if (error instanceof Error) span.setAttribute('error.type', error.name);
      span.end();
    },
  };
  channel.subscribe(subscribers as Parameters<typeof channel.subscribe>[0]);
  return () => {
    channel.start.unbindStore(store);
    channel.unsubscribe(subscribers as Parameters<typeof channel.unsubscribe>[0]);
  };
}

function atMostEvery(everyMs: number): (name: string) => boolean {
  const tracedMs = new Map<string, number>();
  return (name) => {
    const nowMs = monotonicMs();
    const isDue = nowMs - (tracedMs.get(name) ?? Number.NEGATIVE_INFINITY) >= everyMs;
    if (isDue) tracedMs.set(name, nowMs);
    return isDue;
  };
}
