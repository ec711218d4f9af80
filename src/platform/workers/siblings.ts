import { type RateLimiterAbstract, RateLimiterCluster } from 'rate-limiter-flexible';
import { SECOND_MS } from '../clock.ts';
import type { Window } from '../db/index.ts';
import { inRounds } from '../rounds.ts';
import { type Answers, ASKING, type Question, type Reply } from './messages.ts';

/** The workers of this machine, as one of them sees them: they serve one port together. */
export interface Siblings {
  /** Counts the calls that reach any of them. It throws where the supervisor does not answer in time. */
  limiter(name: string, window: Window): RateLimiterAbstract;
  /** Says what this worker answers. A question that came before waits for it. */
  answer<Q extends Question>(question: Q, answer: () => Promise<Answers[Q]>): void;
  /** Asks every worker, this one among them. Rejects where the supervisor does not answer. */
  ask<Q extends Question>(question: Q): Promise<readonly Reply<Q>[]>;
}

/** How a worker's messages get to the supervisor and back. */
export interface Line {
  ask(id: number, question: Question): void;
  answer(id: number, answer?: Answers[Question]): void;
}

/** Requests pass uncounted after that. */
const COUNT_WITHIN_MS = SECOND_MS;
/** The supervisor waits for workers itself. */
const SLACK_MS = SECOND_MS;

type Answerer = () => Promise<Answers[Question]>;
type Replies = readonly Reply<Question>[];

export class SiblingsByLine implements Siblings {
  readonly #line: Line;
  readonly #answerers = new Map<Question, PromiseWithResolvers<Answerer>>();
  readonly #rounds = new Map<Question, () => Promise<Replies>>();
  readonly #asked = new Map<number, (replies: Replies) => void>();
  #lastId = 0;

  constructor(line: Line) {
    this.#line = line;
  }

  limiter(name: string, { points, seconds }: Window): RateLimiterAbstract {
    return new RateLimiterCluster({ keyPrefix: name, points, duration: seconds, timeoutMs: COUNT_WITHIN_MS });
  }

  answer<Q extends Question>(question: Q, answer: () => Promise<Answers[Q]>): void {
    this.#answererOf(question).resolve(answer);
  }

  async ask<Q extends Question>(question: Q): Promise<readonly Reply<Q>[]> {
    const round = this.#rounds.get(question) ?? inRounds(() => this.#askSupervisor(question));
    this.#rounds.set(question, round);
    return (await round()) as readonly Reply<Q>[];
  }

  /** The supervisor wants this worker's answer. */
  async beAsked(id: number, question: Question): Promise<void> {
    const answer = await this.#answererOf(question).promise;
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

  async #askSupervisor(question: Question): Promise<Replies> {
    this.#lastId += 1;
    const id = this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<Replies>();
    const silence = new Error(`the supervising process does not answer “${question}”`);
    const timer = setTimeout(reject, ASKING[question].withinMs + SLACK_MS, silence);
    this.#asked.set(id, resolve);
    this.#line.ask(id, question);
    return await promise.finally(() => {
      clearTimeout(timer);
      this.#asked.delete(id);
    });
  }

  #answererOf(question: Question): PromiseWithResolvers<Answerer> {
    const answerer = this.#answerers.get(question) ?? Promise.withResolvers<Answerer>();
    this.#answerers.set(question, answerer);
    return answerer;
  }
}
