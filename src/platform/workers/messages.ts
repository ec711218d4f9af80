/**
 * What the processes of one machine say to each other, over the channels that `node:cluster` opens: all of it goes by
 * way of the supervisor.
 */
import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import { SECOND_MS } from '../clock.ts';

/** One process's metrics, as its registry gives them. */
export type ProcessMetrics = readonly MetricObjectWithValues<MetricValue<string>>[];

/** How a click log does. A type, since an interface cannot be passed on as one check of `/readyz`. */
export type ClickLogHealth = {
  readonly ok: boolean;
  /** Clicks that were not written, or destroyed, since the start. */
  readonly lost: number;
  readonly journalBytes: number;
  /** Files of damaged segments in `DATA_DIR`. */
  readonly damagedSegments: number;
  /** Where it is not well: the cause, and what to do. */
  readonly reason?: string;
};

/** What workers are asked, and what each of them answers. */
export interface Answers {
  /** Whether every click that it acknowledged is in the database. */
  applied: boolean;
  clicks: ClickLogHealth;
  metrics: ProcessMetrics;
}

export type Inquiry = keyof Answers;

/** One worker's answer. `failed`: it did not answer, or not in time. `away`: it died, and its successor is not there yet. */
export type Reply<Q extends Inquiry> =
  | { readonly worker: number; readonly state: 'answered'; readonly answer: Answers[Q] }
  | { readonly worker: number; readonly state: 'failed' | 'away' };

interface Asking {
  /** Who has not answered by then has failed. */
  readonly withinMs: number;
  /** Whether a worker that starts is waited for; else it is away. */
  readonly waitsForStart: boolean;
}

/** How long each inquiry waits, and for whom. */
export const ASKING: Readonly<Record<Inquiry, Asking>> = {
  // A little longer than a click log waits for itself. What a worker that died left on disk is its successor's.
  applied: { withinMs: 6 * SECOND_MS, waitsForStart: true },
  clicks: { withinMs: 2 * SECOND_MS, waitsForStart: false },
  metrics: { withinMs: 2 * SECOND_MS, waitsForStart: false },
};

/** So often a worker says that it lives. */
export const ALIVE_EVERY_MS = SECOND_MS;

/** What a worker says. */
export type ToSupervisor =
  | { readonly says: 'alive' }
  | { readonly says: 'ready' }
  | { readonly says: 'listening' }
  | { readonly says: 'cannot_start'; readonly reason: string }
  | { readonly says: 'ask'; readonly id: number; readonly inquiry: Inquiry }
  /** Without an answer where it has none. */
  | { readonly says: 'answer'; readonly id: number; readonly answer?: Answers[Inquiry] };

/** What the supervisor says to a worker. Replies are those of all workers to what this one asked. */
export type ToWorker =
  | { readonly says: 'listen' }
  | { readonly says: 'stop' }
  | { readonly says: 'inquiry'; readonly id: number; readonly inquiry: Inquiry }
  | { readonly says: 'replies'; readonly id: number; readonly replies: readonly Reply<Inquiry>[] };

/** Others use the same channel, such as the shared counters of requests. */
export function isOurs(message: unknown): message is { says: string } {
  return typeof message === 'object' && message !== null && 'says' in message;
}
