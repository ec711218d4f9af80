/** Memory and descriptors of a running process; its inspector measures the heap after garbage collection. */
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import type { RunningServer } from './process.ts';

/** For `startServer`: opens the inspector on a port that the process prints. */
export const INSPECTED_ENV = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

const LISTENING = /Debugger listening on (ws:\S+)/;

export class Inspector implements AsyncDisposable {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (answer: InspectorAnswer) => void>();
  #asked = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      const answer = JSON.parse(String(data)) as InspectorAnswer;
      this.#waiting.get(answer.id)?.(answer);
      this.#waiting.delete(answer.id);
    });
  }

  static async open(server: RunningServer): Promise<Inspector> {
    const url = LISTENING.exec(server.output())?.[1];
    if (url === undefined) throw new Error('the server does not listen for an inspector');
    const socket = new WebSocket(url);
    await once(socket, 'open');
    return new Inspector(socket);
  }

  /** Bytes of the event loop's heap and buffers in use after garbage collection. */
  async bytesInUse(): Promise<number> {
    // The second collection frees objects that the first one finalized.
    await this.#ask('HeapProfiler.collectGarbage');
    await this.#ask('HeapProfiler.collectGarbage');
    const { result } = await this.#ask('Runtime.evaluate', {
      expression: '(({ heapUsed, external }) => heapUsed + external)(process.memoryUsage())',
    });
    return Number(result?.result?.value);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#socket, 'close');
    this.#socket.close();
    await closed;
  }

  async #ask(method: string, params: object = {}): Promise<InspectorAnswer> {
    this.#asked += 1;
    const { promise, resolve } = Promise.withResolvers<InspectorAnswer>();
    this.#waiting.set(this.#asked, resolve);
    this.#socket.send(JSON.stringify({ id: this.#asked, method, params }));
    const answer = await promise;
    if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message}`);
    return answer;
  }
}

interface InspectorAnswer {
  readonly id: number;
  readonly result?: { readonly result?: { readonly value?: unknown } };
  readonly error?: { readonly message: string };
}

/** Open descriptors of a process, such as files and sockets; Linux only. */
export function openDescriptors({ pid }: RunningServer): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}
