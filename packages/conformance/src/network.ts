/** The network between a phone and the service: forwards requests, spoils them by rules, and logs them. */
import { once } from 'node:events';
import {
  type ClientRequest,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as open,
  type Server,
  type ServerResponse,
} from 'node:http';
import { request as openSecurely } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Rule } from './scenario.ts';

export interface LoggedRequest {
  /** Milliseconds since it started. */
  readonly atMs: number;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly url: string;
  readonly body: unknown;
  /** The fault that the network made, or `passed`. */
  fate: string;
  /** Of the service; null while it has not answered, and if the request did not reach it. */
  status: number | null;
  answer: unknown;
  answeredAtMs: number | null;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

const SWAP_WITHIN_MS = 1_000;
const OFFLINE: readonly Rule[] = [{ path: '*', do: 'drop request' }];
/** A page of another origin may read answers that the service did not make. */
const FOR_PAGES = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'Retry-After' };

export class Network {
  readonly log: LoggedRequest[] = [];
  readonly #target: URL;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #startedAtMs = performance.now();
  readonly #server: Server;
  #rules: readonly Rule[] = [];
  /** Requests to the path of each rule since the rules were set. */
  #seen = new Map<Rule, number>();
  #waitingForNext = new Map<Rule, () => void>();

  private constructor(target: URL, headers: Readonly<Record<string, string>>) {
    this.#target = target;
    this.#headers = headers;
    this.#server = createServer((request, response) => {
      // A phone that was killed has gone.
      this.#handle(request, response).catch(() => response.destroy());
    });
  }

  /** @param headers are added to each request. */
  static async start(target: URL, headers: Readonly<Record<string, string>>): Promise<Network> {
    const network = new Network(target, headers);
    network.#server.listen(0, '127.0.0.1');
    await once(network.#server, 'listening');
    return network;
  }

  get url(): string {
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  }

  get nowMs(): number {
    return performance.now() - this.#startedAtMs;
  }

  setNetwork(network: 'online' | 'offline' | readonly Rule[]): void {
    this.#rules = network === 'online' ? [] : network === 'offline' ? OFFLINE : network;
    this.#seen = new Map();
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray());
    // A browser's question whether it may ask is no request of the client.
    if (request.method === 'OPTIONS') return write(response, await this.#forward(request, body));
    const entry = this.#record(request, body);
    const rule = this.#choose(entry.path, body.length);
    if (rule === undefined) return write(response, await this.#pass(entry, request, body));
    entry.fate = rule.do;
    await this.#spoil(rule, { entry, request, body, response });
  }

  async #spoil(
    rule: Rule,
    of: { entry: LoggedRequest; request: IncomingMessage; body: Buffer; response: ServerResponse },
  ): Promise<void> {
    const { entry, request, body, response } = of;
    const pass = () => this.#pass(entry, request, body);
    switch (rule.do) {
      case 'drop request':
        return void response.destroy();
      case 'never answer':
        return;
      case 'answer':
        return this.#invent(rule, entry, response);
      case 'drop answer':
        await pass();
        return void response.destroy();
      case 'cut answer':
        return cut(response, await pass());
      case 'delay request':
        await sleep(rule.ms ?? 0);
        return write(response, await pass());
      case 'delay answer': {
        const answer = await pass();
        await sleep(rule.ms ?? 0);
        return write(response, answer);
      }
      case 'repeat request':
        await pass();
        return write(response, await pass());
      case 'swap with next': {
        await this.#overtaken(rule);
        return write(response, await pass());
      }
    }
  }

  /** Waits until the next request to the path has been answered. */
  async #overtaken(rule: Rule): Promise<void> {
    const overtaken = new Promise<void>((resolve) => this.#waitingForNext.set(rule, resolve));
    await Promise.race([overtaken, sleep(SWAP_WITHIN_MS)]);
  }

  #invent(rule: Rule, entry: LoggedRequest, response: ServerResponse): void {
    entry.fate = `answered ${rule.status ?? 503} by the network`;
    response.writeHead(rule.status ?? 503, {
      'content-type': 'application/json',
      ...FOR_PAGES,
      ...rule.headers,
    });
    response.end(rule.body ?? '{"error":"Try again later"}');
  }

  #record(request: IncomingMessage, body: Buffer): LoggedRequest {
    const url = request.url ?? '/';
    const entry: LoggedRequest = {
      atMs: this.nowMs,
      method: request.method ?? '',
      path: url.split('?')[0] ?? url,
      url,
      body: parsed(body),
      fate: 'passed',
      status: null,
      answer: null,
      answeredAtMs: null,
    };
    this.log.push(entry);
    return entry;
  }

  #choose(path: string, bytes: number): Rule | undefined {
    let chosen: Rule | undefined;
    for (const rule of this.#rules) {
      if (!fits(rule.path, path) || bytes <= (rule.aboveBytes ?? -1)) continue;
      const nth = (this.#seen.get(rule) ?? 0) + 1;
      this.#seen.set(rule, nth);
      const applies = rule.nth === undefined || [rule.nth].flat().includes(nth);
      if (applies) chosen ??= rule;
    }
    return chosen;
  }

  async #pass(entry: LoggedRequest, request: IncomingMessage, body: Buffer): Promise<Answer> {
    const answer = await this.#forward(request, body);
    entry.status = answer.status;
    entry.answer = parsed(answer.body);
    entry.answeredAtMs = this.nowMs;
    for (const [rule, go] of this.#waitingForNext) if (fits(rule.path, entry.path)) go();
    return answer;
  }

  async #forward({ method, url, headers }: IncomingMessage, body: Buffer): Promise<Answer> {
    const { host: _host, connection: _connection, ...rest } = headers;
    const openTo = this.#target.protocol === 'https:' ? openSecurely : open;
    const outgoing: ClientRequest = openTo(new URL(`${trimmed(this.#target.pathname)}${url}`, this.#target), {
      method: method ?? 'GET',
      headers: { ...rest, ...this.#headers },
    });
    outgoing.end(body);
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    return {
      status: incoming.statusCode ?? 0,
      headers: incoming.headers,
      body: Buffer.concat(await incoming.toArray()),
    };
  }
}

/** Whether a path fits one that may end in `*`. */
export function fits(pattern: string, path: string): boolean {
  return pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern;
}

function write(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, endToEnd(headers));
  response.end(body);
}

/** Announces the whole body and ends the connection in its middle. */
function cut(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, { ...endToEnd(headers), 'content-length': body.length });
  response.write(body.subarray(0, Math.floor(body.length / 2)), () => response.destroy());
}

function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { connection: _c, 'keep-alive': _k, 'transfer-encoding': _t, ...rest } = headers;
  return rest;
}

function trimmed(path: string): string {
  return path.replace(/\/$/, '');
}

function parsed(body: Buffer): unknown {
  const text = body.toString();
  try {
    return text === '' ? null : JSON.parse(text);
  } catch {
    return text;
  }
}
