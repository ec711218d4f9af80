/** Child processes that answer orders of the bench one after the other. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export interface Worker<Order extends object, Result> extends AsyncDisposable {
  /** @throws with the message of the child's error. */
  run(order: Order): Promise<Result>;
}

type Reply<Result> = { readonly result: Result } | { readonly error: string };

/** @param file in this folder; it must call `serveOrders`. */
export async function startWorker<Order extends object, Result>(
  file: string,
  args: readonly string[] = [],
): Promise<Worker<Order, Result>> {
  const child = fork(join(import.meta.dirname, '..', file), args);
  const exited = once(child, 'exit').then(() => Promise.reject(new Error(`${file} exited`)));
  exited.catch(() => undefined);
  await Promise.race([once(child, 'message'), exited]);
  return {
    async run(order) {
      child.send(order);
      const [reply] = (await Promise.race([once(child, 'message'), exited])) as [Reply<Result>];
      if ('error' in reply) throw new Error(`${file}: ${reply.error}`);
      return reply.result;
    },
    async [Symbol.asyncDispose]() {
      child.disconnect();
      await exited.catch(() => undefined);
    },
  };
}

/** In the child process: answers orders until the parent disconnects. */
export function serveOrders<Order, Result>(handle: (order: Order) => Promise<Result>): void {
  process.on('message', async (order: Order) => {
    const reply: Reply<Result> = await handle(order).then(
      (result) => ({ result }),
      (error: unknown) => ({ error: String(error) }),
    );
    process.send?.(reply);
  });
  process.on('disconnect', () => process.exit(0));
  process.send?.('ready');
}

/** Monotonic time that processes of one machine can compare. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
