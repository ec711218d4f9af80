import type { MessagePort, Worker } from 'node:worker_threads';

/** An error in a message; `toError` restores it. */
export interface SerializedError {
  readonly message: string;
  readonly errcode: number | undefined;
}

type ThreadReply = { id: number; result: unknown } | { id: number; error: SerializedError };

/** What a thread does for the main thread, by name. */
// biome-ignore lint/suspicious/noExplicitAny: parameters are contravariant, so that `unknown` would accept no operation.
type Operations = { readonly [Op in string]: (...args: any[]) => unknown };

/** Runs the operations that `ThreadCalls` sends, one after the other. */
export function answerCalls<Ops extends Operations>(port: MessagePort, operations: Ops): void {
  port.on('message', ({ id, op, args }: { id: number; op: keyof Ops; args: unknown[] }) => {
    try {
      const operation = operations[op] as (...args: unknown[]) => unknown;
      port.postMessage({ id, result: operation(...args) });
    } catch (error) {
      port.postMessage({ id, error: serialize(error) });
    }
  });
}

/** Pending calls of a thread's operations, by number. */
export class ThreadCalls<Ops extends Operations> {
  readonly #worker: Worker;
  readonly #pending = new Map<number, PromiseWithResolvers<unknown>>();
  #lastId = 0;
  #death: unknown;

  /** @param onExit called once the thread has ended; all calls are rejected before. */
  constructor(worker: Worker, name: string, onExit: (cause: unknown) => void) {
    this.#worker = worker;
    const exit = (cause: unknown) => {
      this.#rejectAll(cause);
      onExit(cause);
    };
    worker.on('message', (reply: ThreadReply) => this.#settle(reply));
    worker.on('error', exit);
    worker.on('exit', () => exit(new Error(`the ${name} thread ended`)));
  }

  async send<Op extends keyof Ops>(op: Op, ...args: Parameters<Ops[Op]>): Promise<ReturnType<Ops[Op]>> {
    if (this.#death !== undefined) throw this.#death;
    const id = ++this.#lastId;
    const call = Promise.withResolvers<unknown>();
    this.#pending.set(id, call);
    this.#worker.postMessage({ id, op, args });
    return (await call.promise) as ReturnType<Ops[Op]>;
  }

  #settle(reply: ThreadReply): void {
    const call = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    if ('error' in reply) call?.reject(toError(reply.error));
    else call?.resolve(reply.result);
  }

  /** Rejects later calls too. */
  #rejectAll(cause: unknown): void {
    this.#death ??= cause;
    for (const call of this.#pending.values()) call.reject(cause);
    this.#pending.clear();
  }
}

export function serialize(error: unknown): SerializedError {
  const { message, errcode } = error as Error & { errcode?: number };
  return { message, errcode };
}

export function toError({ message, errcode }: SerializedError): Error {
  return Object.assign(new Error(message), { errcode });
}
