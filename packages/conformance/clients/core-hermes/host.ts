/** Runs in Hermes, which has no `fetch`, no storage, and timers that do not wait: Node does these. */
import { createThroughline, StandardEvent } from '../../../core/src/index.ts';
import { createDriver } from '../core/driver.ts';
import { type Ask, type Fetched, MARK, type ToMachine, type ToNode } from './bridge.ts';

declare function print(text: string): void;
declare const HermesInternal: {
  enablePromiseRejectionTracker(options: {
    readonly allRejections: boolean;
    readonly onUnhandled: (id: number, error: unknown) => void;
  }): void;
};

interface Settle {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

const calls = new Map<number, Settle>();
const timers = new Map<number, () => void>();
let lastCall = 0;
let lastTimer = 0;

const tell = (message: ToNode) => print(MARK + JSON.stringify(message));

function ask(question: Ask): Promise<unknown> {
  const call = ++lastCall;
  tell({ to: 'ask', call, ...question });
  return new Promise((resolve, reject) => calls.set(call, { resolve, reject }));
}

// React Native has it and Hermes alone has not. The clock that scenarios set is that of the port `now`.
Object.assign(globalThis, { performance: { now: () => Date.now() } });

const drive = createDriver({
  createThroughline,
  StandardEvent,
  storage: {
    getItem: async (key) => (await ask({ for: 'getItem', key })) as string | null,
    setItem: (key, value) => ask({ for: 'setItem', key, value }),
    removeItem: (key) => ask({ for: 'removeItem', key }),
  },
  async fetch(url, { method, headers, body }) {
    const question: Ask = { for: 'fetch', url, method, headers, ...(body !== undefined && { body }) };
    const fetched = (await ask(question)) as Fetched;
    return {
      status: fetched.status,
      headers: { get: (name) => fetched.headers[name.toLowerCase()] ?? null },
      text: async () => fetched.text,
    };
  },
  say: (line) => tell({ to: 'say', line }),
});

const log = (text: string) => tell({ to: 'log', text });

HermesInternal.enablePromiseRejectionTracker({
  allRejections: true,
  onUnhandled: (_id, error) => log(`Unhandled rejection: ${String(error)}`),
});
Object.assign(globalThis, {
  console: { log, warn: log, error: log },
  setTimeout(run: () => void, ms = 0) {
    const timer = ++lastTimer;
    timers.set(timer, run);
    tell({ to: 'wait', timer, ms });
    return timer;
  },
  clearTimeout: (timer: number) => timers.delete(timer),
  hear(message: ToMachine) {
    if (message.to === 'take') void drive(message.line);
    else if (message.to === 'fire') {
      const run = timers.get(message.timer);
      timers.delete(message.timer);
      run?.();
    } else {
      const { call, error, value } = message;
      if (error === null) calls.get(call)?.resolve(value);
      else calls.get(call)?.reject(new Error(error));
      calls.delete(call);
    }
  },
});
