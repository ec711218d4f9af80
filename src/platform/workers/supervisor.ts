import {
  ALIVE_EVERY_MS,
  type Answers,
  type Inquiry,
  isOurs,
  type ToSupervisor,
  type ToWorker,
} from './messages.ts';
import { type Siblings, SiblingsByLine } from './siblings.ts';

/** A worker's line to the process that started it, and by it to its siblings. */
export interface Supervisor {
  readonly siblings: Siblings;
  /** Says that everything is open; resolves when this worker is to listen. */
  mayListen(): Promise<void>;
  listening(): void;
  /** Resolves when the supervisor has the reason why this worker cannot start. */
  cannotStart(reason: string): Promise<void>;
  onStop(stop: () => void): void;
}

const WORKER_VARIABLE = 'THROUGHLINE_WORKER';

/** What a worker knows itself by. */
export function workerEnv(number: number): Record<string, string> {
  return { [WORKER_VARIABLE]: String(number) };
}

/** Which worker this process is, from 1 on; null where it is none. */
export function workerNumber(): number | null {
  const number = process.env[WORKER_VARIABLE];
  return number === undefined ? null : Number(number);
}

/** To be called once in a worker. When the supervisor is gone, `node:cluster` ends this process by itself. */
export function connectSupervisor(): Supervisor {
  // A message to a supervisor that is just gone: this process ends with it.
  process.on('error', () => undefined);
  const siblings = new SiblingsByLine({
    ask: (id: number, inquiry: Inquiry) => send({ says: 'ask', id, inquiry }),
    answer: (id: number, answer?: Answers[Inquiry]) =>
      send({ says: 'answer', id, ...(answer !== undefined && { answer }) }),
  });
  setInterval(() => send({ says: 'alive' }), ALIVE_EVERY_MS).unref();
  const mayListen = Promise.withResolvers<void>();
  const mustStop = Promise.withResolvers<void>();
  process.on('message', (message: ToWorker) => {
    if (!isOurs(message)) return;
    if (message.says === 'inquiry') void siblings.beAsked(message.id, message.inquiry);
    else if (message.says === 'replies') siblings.take(message.id, message.replies);
    else if (message.says === 'listen') mayListen.resolve();
    else mustStop.resolve();
  });
  return {
    siblings,
    async mayListen() {
      send({ says: 'ready' });
      await mayListen.promise;
    },
    listening: () => send({ says: 'listening' }),
    cannotStart: (reason) =>
      new Promise((resolve) => send({ says: 'cannot_start', reason }, () => resolve())),
    onStop: (stop) => void mustStop.promise.then(stop),
  };
}

function send(message: ToSupervisor, done: () => void = () => undefined): void {
  process.send?.(message, done);
}
