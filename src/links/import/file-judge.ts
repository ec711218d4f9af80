import { Worker } from 'node:worker_threads';
import { ThreadCalls } from '../../lib/thread-calls.ts';
import type { FileToJudge, JudgedChunk, JudgeOperations } from './judge-thread.ts';

/** Starting the thread takes half a second, and keeping it some 40 MB. */
const IDLE_MS = 60_000;
const MAX_OLD_GENERATION_MB = 256;
const MAX_YOUNG_GENERATION_MB = 16;

/** Judges files in one thread, which begins with the first one. Several take turns by chunk. */
export class FileJudge {
  #calls: ThreadCalls<JudgeOperations> | null = null;
  #thread: Worker | null = null;
  #open = 0;
  #idle: NodeJS.Timeout | undefined;

  /** @throws if the thread ends, such as for want of memory. */
  async *judge(file: FileToJudge): AsyncGenerator<JudgedChunk> {
    clearTimeout(this.#idle);
    const calls = this.#calls ?? this.#start();
    this.#open += 1;
    try {
      const error = await calls.send('open', file);
      if (error !== null) yield { rows: [], readBytes: 0, isEnd: true, error, columns: {} };
      let next = error === null ? calls.send('next', file.path) : null;
      while (next !== null) {
        const chunk: JudgedChunk = await next;
        next = chunk.isEnd ? null : calls.send('next', file.path);
        // The caller works meanwhile, and may not come back for it.
        next?.catch(() => undefined);
        yield chunk;
      }
    } finally {
      this.#open -= 1;
      await calls.send('close', file.path).catch(() => undefined);
      if (this.#open === 0) this.#idle = setTimeout(() => void this.stop(), IDLE_MS).unref();
    }
  }

  async stop(): Promise<void> {
    clearTimeout(this.#idle);
    const thread = this.#thread;
    this.#thread = null;
    this.#calls = null;
    await thread?.terminate();
  }

  #start(): ThreadCalls<JudgeOperations> {
    const thread = new Worker(new URL('judge-thread.ts', import.meta.url), {
      resourceLimits: {
        maxOldGenerationSizeMb: MAX_OLD_GENERATION_MB,
        maxYoungGenerationSizeMb: MAX_YOUNG_GENERATION_MB,
      },
    });
    thread.unref();
    const calls = new ThreadCalls<JudgeOperations>(thread, 'import', () => {
      if (this.#thread !== thread) return;
      this.#thread = null;
      this.#calls = null;
    });
    this.#thread = thread;
    this.#calls = calls;
    return calls;
  }
}
