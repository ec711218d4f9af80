/** What a row of `webhooks` stands for, and how it is called. */
import type { Action } from '../../audit/index.ts';
import type { Transaction } from '../../db/index.ts';
import type { WebhookRow } from '../webhook.ts';
import type { DueAttempt, LeasedAttempt, MessageRow } from './queue.ts';
import type { Receiver } from './receiver.ts';
import type { AttemptResult } from './send.ts';

export type Kind = 'webhook' | 'destination' | 'apple_ads';

/** By their kind; a row of another one is never sent. */
export type ReceiverKinds = Readonly<Partial<Record<Kind, ReceiverKind>>>;

export interface ReceiverKind {
  receiverOf(row: WebhookRow): Receiver;
  /** @returns null if its secret cannot be decrypted: its attempts wait until it is set again. */
  open(row: WebhookRow): Target | null;
}

/** A row with its secrets, for the attempts of one claim. */
export interface Target<Outcome = unknown> {
  /** Attempts in flight in one process at most; null if the schedule alone decides. */
  readonly maxInFlight: number | null;
  /** The audit action of a message that was given up; null if the log tells enough. */
  readonly failedAction: Action | null;
  /**
   * The call of a message, or the result if none is to be made. What it reads is of the moment of the attempt; an
   * exception is a failed attempt.
   */
  toCall(message: MessageRow): Promise<PreparedCall<Outcome> | Reading<Outcome>>;
  /** The least delay until the next attempt; null if there is none. @param failedAttempts this one included. */
  retryDelayMs(result: AttemptResult<Outcome>, failedAttempts: number): number | null;
  /** How long the receiver rests after an attempt, then to be asked with one; null if it need not. */
  restMs?(result: AttemptResult<Outcome>): number | null;
  /** Hears of each attempt, once. */
  note?(result: AttemptResult<Outcome>): void;
  /**
   * Writes what follows from a message that arrived, was given up or is replaced, in the transaction that records it,
   * which is the only one to do so. Tests end without it.
   * @returns attempts of other messages that it inserted.
   */
  recordEnd?(tx: Transaction, ended: Ended<Outcome>): Promise<readonly DueAttempt[]>;
}

export interface PreparedCall<Outcome = unknown> {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Bytes of the response that are read. */
  readonly maxResponseBytes: number;
  /** Takes out of what the receiver says what nobody may see, before it is read and again before it is kept. */
  mask?(text: string): string;
  /** Reads a response that arrived, whatever its status; null if its status says all: 2xx is a success. */
  read?(response: { readonly status: number; readonly body: string }): Reading<Outcome> | null;
}

/** What a kind says of an attempt. */
export type Reading<Outcome = unknown> = Pick<AttemptResult, 'success'> &
  Partial<
    Pick<AttemptResult<Outcome>, 'errorMessage' | 'responseBody' | 'blamesMessage' | 'isReplaced' | 'outcome'>
  >;

export interface Ended<Outcome = unknown> {
  readonly row: LeasedAttempt;
  readonly message: MessageRow;
  readonly result: AttemptResult<Outcome>;
}
