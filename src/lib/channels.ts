/** What traces can show: Node's own channels, which cost a look at a flag while nobody subscribes. */
import { type Channel, channel, tracingChannel } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request that begins. Its subscriber gives what follows from it a context, and learns the end from the response. */
export interface RequestStarted {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** A statement that has ended. */
export interface Statement {
  readonly operation: 'select' | 'insert' | 'update' | 'delete' | 'commit' | 'other';
  /** Without values; null where a statement is not of one table. */
  readonly table: string | null;
  readonly ms: number;
  readonly hasFailed: boolean;
}

/** Work that takes a while. Attributes that are known at its end are set in `attributes` meanwhile. */
export interface Work {
  readonly name: string;
  readonly attributes: Record<string, string | number | boolean>;
}

export const requestStarted = channel('throughline.request') as Channel<unknown, RequestStarted>;
/** Goes on with a request whose body was read: events of a socket do not carry the context of its requests. */
export const requestResumed = channel('throughline.request.resumed') as Channel<
  unknown,
  Pick<RequestStarted, 'request'>
>;
/** The pattern that a request has matched. */
export const requestRouted = channel('throughline.request.routed') as Channel<
  unknown,
  Pick<RequestStarted, 'request'> & { readonly route: string }
>;
export const statementEnded = channel('throughline.statement') as Channel<unknown, Statement>;
/** A part of what calls it. */
export const steps = tracingChannel<unknown, Work>('throughline.step');
/** Begins by itself. */
export const tasks = tracingChannel<unknown, Work>('throughline.task');
/** A run of a background task. */
export const loopRuns = tracingChannel<unknown, Work>('throughline.loop');
