import { type RateLimiterAbstract, RateLimiterCluster } from 'rate-limiter-flexible';
import { SECOND_MS } from '../clock.ts';
import type { RateWindow } from '../db/index.ts';
import { inRounds } from '../rounds.ts';
import { type Answers, ASKING, type Inquiry, type Reply } from './messages.ts';

/** The workers of this machine, as one of them sees them: they serve one port together. */
export interface Siblings {
  /** Counts the calls that reach any of them. It throws where the supervisor does not answer in time. */
  limiter(name: string, window: RateWindow): RateLimiterAbstract;
  /** Says what this worker answers. An inquiry that came before waits for it. */
  answer<Q extends Inquiry>(inquiry: Q, answer: () => Promise<Answers[Q]>): void;
  /** Asks every worker, this one among them. Rejects where the supervisor does not answer. */
  ask<Q extends Inquiry>(inquiry: Q): Promise<readonly Reply<Q>[]>;
}

/** How a worker's messages get to the supervisor and back. */
export interface Line {
  ask(id: number, inquiry: Inquiry): void;
  answer(id: number, answer?: Answers[Inquiry]): void;
}

/** Requests pass uncounted after that. */
const COUNT_WITHIN_MS = SECOND_MS;
/** The supervisor waits for workers itself. */
const SLACK_MS = SECOND_MS;

type Answerer = () => Promise<Answers[Inquiry]>;
type Replies = readonly Reply<Inquiry>[];

/** Siblings that are reached by way of the supervisor, which asks all of them. */
export class SiblingsByLine implements Siblings {
  readonly #line: Line;
  readonly #answerers = new Map<Inquiry, PromiseWithResolvers<Answerer>>();
  readonly #rounds = new Map<Inquiry, () => Promise<Replies>>();
  readonly #asked = new Map<number, (replies: Replies) => void>();
  #lastId = 0;

  constructor(line: Line) {
    this.#line = line;
  }

  limiter(name: string, { points, seconds }: RateWindow): RateLimiterAbstract {
    return new RateLimiterCluster({ keyPrefix: name, points, duration: seconds, timeoutMs: COUNT_WITHIN_MS });
  }

  answer<Q extends Inquiry>(inquiry: Q, answer: () => Promise<Answers[Q]>): void {
    this.#answererOf(inquiry).resolve(answer);
  }

  async ask<Q extends Inquiry>(inquiry: Q): Promise<readonly Reply<Q>[]> {
    const round = this.#rounds.get(inquiry) ?? inRounds(() => this.#askSupervisor(inquiry));
    this.#rounds.set(inquiry, round);
    return (await round()) as readonly Reply<Q>[];
  }

  /** The supervisor wants this worker's answer. */
  async beAsked(id: number, inquiry: Inquiry): Promise<void> {
    const answer = await this.#answererOf(inquiry).promise;
    try {
      this.#line.answer(id, await answer());
    } catch {
      this.#line.answer(id);
    }
  }

  /** The supervisor has all answers. */
  take(id: number, replies: Replies): void {
    this.#asked.get(id)?.(replies);
  }

  async #askSupervisor(inquiry: Inquiry): Promise<Replies> {
    this.#lastId += 1;
    const id = this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<Replies>();
    const silence = new Error(`the supervising process does not answer “${inquiry}”`);
    const timer = setTimeout(reject, ASKING[inquiry].withinMs + SLACK_MS, silence);
    this.#asked.set(id, resolve);
    this.#line.ask(id, inquiry);
    return await promise.finally(() => {
      clearTimeout(timer);
      this.#asked.delete(id);
    });
  }

  #answererOf(inquiry: Inquiry): PromiseWithResolvers<Answerer> {
    const answerer = this.#answerers.get(inquiry) ?? Promise.withResolvers<Answerer>();
    this.#answerers.set(inquiry, answerer);
    return answerer;
  }
}
