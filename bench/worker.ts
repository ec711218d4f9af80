/** A process of our own that is given one order after the other, each answered by one result. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export interface Worker<Order extends object, Result> extends AsyncDisposable {
  ask(order: Order): Promise<Result>;
}

/** @param file beside this one; it says that it is ready, and ends when it is disconnected. */
export async function startWorker<Order extends object, Result>(
  file: string,
  args: readonly string[] = [],
): Promise<Worker<Order, Result>> {
  const child = fork(join(import.meta.dirname, file), args);
  const died = once(child, 'exit').then(() => Promise.reject(new Error(`${file} ended`)));
  died.catch(() => undefined);
  await Promise.race([once(child, 'message'), died]);
  return {
    async ask(order) {
      child.send(order);
      const [result] = (await Promise.race([once(child, 'message'), died])) as [Result];
      return result;
    },
    async [Symbol.asyncDispose]() {
      child.disconnect();
      await died.catch(() => undefined);
    },
  };
}
