/**
 * A customer's endpoint in a child process, so that a flood of responses or a hanging service cannot block the test.
 * Forked by `ReceiverProcess.start`; messages set each path's behaviour; ends with its parent.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { after, before } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const HUGE_BYTES = 1024 ** 3;

/** The behaviour of a path. */
export type Behaviour =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly afterMs?: number;
      readonly headers?: Record<string, string>;
      /** One message in this many gets 500 on its first arrival. */
      readonly refusesOneOf?: number;
      /** The connection is reset in the middle of the body. */
      readonly isCutOff?: boolean;
    }
  /** Takes a request if some time has passed since the last one that it took; others get 429 with `Retry-After: 1`. */
  | { readonly kind: 'limited'; readonly everyMs: number }
  /** 1 GB, as fast as the service reads it. */
  | { readonly kind: 'huge'; readonly status: number }
  /** Never answers; starts an endless body; sends one byte a second; drops the connection half-way. */
  | { readonly kind: 'silent' | 'endless' | 'drip' | 'reset' };

/** A complete request. */
export interface Receipt {
  readonly webhookId: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly atMs: number;
  /** IPv4 or IPv6. */
  readonly family: string;
  /** The response status; 0 while there is none. */
  status: number;
  /** Bytes sent on this connection when it closed. */
  sentBytes: number;
}

interface PathState {
  readonly arrived: number;
  readonly open: number;
}

type Command =
  | { readonly name: 'behave'; readonly path: string; readonly steps: readonly Behaviour[] }
  | { readonly name: 'received' | 'state'; readonly path: string }
  | { readonly name: 'listen' | 'unlisten'; readonly port: number };

const FILE = fileURLToPath(import.meta.url);

export class ReceiverProcess {
  readonly #child: ChildProcess;
  readonly port: number;
  readonly #waiting = new Map<number, (result: unknown) => void>();
  #asked = 0;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
    child.on('message', ({ id, result }: { id: number; result: unknown }) => {
      this.#waiting.get(id)?.(result);
      this.#waiting.delete(id);
    });
  }

  static async start(): Promise<ReceiverProcess> {
    const child = fork(FILE, ['run'], { execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    const [{ port }] = (await once(child, 'message')) as [{ port: number }];
    return new ReceiverProcess(child, port);
  }

  url(path: string, { scheme = 'http', host = '127.0.0.1' } = {}): string {
    return `${scheme}://${host}:${this.port}${path}`;
  }

  /** From now on, the nth request gets the nth step; later requests get the last step. */
  async behave(path: string, ...steps: Behaviour[]): Promise<void> {
    await this.#ask({ name: 'behave', path, steps });
  }

  async received(path: string): Promise<Receipt[]> {
    return (await this.#ask({ name: 'received', path })) as Receipt[];
  }

  async state(path: string): Promise<PathState> {
    return (await this.#ask({ name: 'state', path })) as PathState;
  }

  /** Listens on a second port until `unlisten`. */
  async listen(port: number): Promise<void> {
    await this.#ask({ name: 'listen', port });
  }

  async unlisten(port: number): Promise<void> {
    await this.#ask({ name: 'unlisten', port });
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.disconnect();
    await ended;
  }

  async #ask(command: Command): Promise<unknown> {
    this.#asked += 1;
    const id = this.#asked;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    this.#waiting.set(id, resolve);
    this.#child.send({ id, command });
    return await promise;
  }
}

/** A receiver for the tests of one `describe`. */
export function useReceiverProcess(): { readonly get: ReceiverProcess } {
  let receiver: ReceiverProcess | undefined;
  before(async () => {
    receiver = await ReceiverProcess.start();
  });
  after(() => receiver?.stop());
  return {
    get get() {
      if (receiver === undefined) throw new Error('the receiver was not started');
      return receiver;
    },
  };
}

const OK: Behaviour = { kind: 'answer', status: 200 };

class Path {
  readonly received: Receipt[] = [];
  readonly seen = new Set<string>();
  open = 0;
  takenAtMs = 0;
  #steps: readonly Behaviour[] = [OK];
  #receivedBefore = 0;

  /** Sets the behaviour from now on; earlier requests stay recorded. */
  behave(steps: readonly Behaviour[]): void {
    this.#steps = steps;
    this.#receivedBefore = this.received.length;
  }

  /** The behaviour for the latest request. */
  step(): Behaviour {
    return this.#steps[this.received.length - this.#receivedBefore - 1] ?? this.#steps.at(-1) ?? OK;
  }
}

const paths = new Map<string, Path>();

function pathOf(name: string): Path {
  const known = paths.get(name) ?? new Path();
  paths.set(name, known);
  return known;
}

const listener: RequestListener = (request, response) => {
  const path = pathOf(request.url ?? '');
  path.open += 1;
  const chunks: Buffer[] = [];
  const { socket } = request;
  const sentBefore = socket.bytesWritten;
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('error', () => undefined);
  request.on('end', () => {
    const receipt: Receipt = {
      webhookId: String(request.headers['webhook-id']),
      headers: request.headers,
      body: Buffer.concat(chunks).toString('base64'),
      atMs: Date.now(),
      family: socket.remoteFamily ?? '',
      status: 0,
      sentBytes: 0,
    };
    path.received.push(receipt);
    response.on('close', () => {
      receipt.sentBytes = socket.bytesWritten - sentBefore;
    });
    void act(path, receipt, response);
  });
  response.on('close', () => {
    path.open -= 1;
  });
};

async function act(path: Path, receipt: Receipt, response: ServerResponse): Promise<void> {
  const step = path.step();
  const isFirst = !path.seen.has(receipt.webhookId);
  path.seen.add(receipt.webhookId);
  if (step.kind === 'silent') return;
  if (step.kind === 'answer') {
    const { refusesOneOf } = step;
    const isRefused = refusesOneOf !== undefined && isFirst && path.seen.size % refusesOneOf === 0;
    await sleep(step.afterMs ?? 0);
    receipt.status = isRefused ? 500 : step.status;
    if (step.isCutOff === true) {
      response.writeHead(receipt.status, { ...step.headers, 'content-length': 1_000 });
      response.write('x'.repeat(500), () => response.socket?.resetAndDestroy());
    } else response.writeHead(receipt.status, step.headers).end('thanks');
    return;
  }
  if (step.kind === 'limited') {
    const isTaken = receipt.atMs - path.takenAtMs >= step.everyMs;
    if (isTaken) path.takenAtMs = receipt.atMs;
    receipt.status = isTaken ? 200 : 429;
    response.writeHead(receipt.status, isTaken ? {} : { 'retry-after': '1' }).end('thanks');
    return;
  }
  receipt.status = step.kind === 'huge' ? step.status : 200;
  if (step.kind === 'huge') {
    response.writeHead(step.status, { 'content-length': HUGE_BYTES });
    hugeBody().on('error', ignore).pipe(response);
  } else if (step.kind === 'reset') {
    response.writeHead(200, { 'content-length': 1_000 });
    response.write('x'.repeat(500), () => response.socket?.resetAndDestroy());
  } else {
    response.writeHead(200).write('thanks');
    if (step.kind !== 'drip') return;
    const timer = setInterval(() => response.write('.'), 1_000);
    response.on('close', () => clearInterval(timer));
  }
}

const ignore = (): void => undefined;

function hugeBody(): Readable {
  const chunk = Buffer.alloc(1024 ** 2, 'x');
  return Readable.from(
    (function* () {
      for (let sent = 0; sent < HUGE_BYTES; sent += chunk.length) yield chunk;
    })(),
  );
}

async function open(port: number, host: string) {
  const server = createServer({ keepAliveTimeout: 60_000 }, listener);
  server.listen(port, host);
  await once(server, 'listening');
  return server;
}

async function run(): Promise<void> {
  const first = await open(0, '127.0.0.1');
  const { port } = first.address() as AddressInfo;
  // A machine without IPv6 has no listener.
  await open(port, '::1').catch(ignore);
  const others = new Map<number, Awaited<ReturnType<typeof open>>>();
  const answer = async (command: Command): Promise<unknown> => {
    switch (command.name) {
      case 'behave':
        return pathOf(command.path).behave(command.steps);
      case 'received':
        return pathOf(command.path).received;
      case 'state':
        return { arrived: pathOf(command.path).received.length, open: pathOf(command.path).open };
      case 'listen':
        return others.set(command.port, await open(command.port, '127.0.0.1')).size;
      case 'unlisten':
        others.get(command.port)?.close();
        return others.get(command.port)?.closeAllConnections();
    }
  };
  process.on('message', ({ id, command }: { id: number; command: Command }) => {
    void answer(command).then((result) => process.send?.({ id, result }));
  });
  process.once('disconnect', () => process.exit(0));
  process.send?.({ port });
}

if (process.argv[1] === FILE && process.argv[2] === 'run') await run();
