/** A connection that sends raw bytes which no HTTP client would send. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

export class RawConnection {
  readonly #socket: Socket;
  #received = Buffer.alloc(0);
  #ended = false;
  #closed = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk) => {
      this.#received = Buffer.concat([this.#received, chunk]);
    });
    socket.on('end', () => {
      this.#ended = true;
    });
    // The server may reset the connection; `closed` and `answer` report that.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#ended = true;
      this.#closed = true;
    });
  }

  static async open(url: string): Promise<RawConnection> {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    await once(socket, 'connect');
    return new RawConnection(socket);
  }

  send(bytes: string | Buffer): void {
    this.#socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  }

  /** Waits until this text has arrived or the server has ended its side. @returns all received text. */
  async until(text: string): Promise<string> {
    while (!this.#received.includes(text) && !this.#ended) await this.#news();
    return this.#received.toString('latin1');
  }

  /** Waits for one complete response; null if the server ends the connection without one. */
  async answer(): Promise<RawAnswer | null> {
    for (;;) {
      const answer = this.#takeAnswer();
      if (answer !== null || this.#ended) return answer;
      await this.#news();
    }
  }

  /** Waits until the server has ended its side. */
  async closed(): Promise<void> {
    while (!this.#ended) await this.#news();
  }

  /** Sends until the server closes the connection. */
  async sendUntilRefused(): Promise<void> {
    while (!this.#closed) {
      this.send('x');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  destroy(): void {
    this.#socket.destroy();
  }

  async #news(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    for (const event of ['data', 'end', 'close']) this.#socket.once(event, resolve);
    await promise;
    for (const event of ['data', 'end', 'close']) this.#socket.off(event, resolve);
  }

  #takeAnswer(): RawAnswer | null {
    const headEnd = this.#received.indexOf('\r\n\r\n');
    if (headEnd === -1) return null;
    const [statusLine = '', ...lines] = this.#received.toString('latin1', 0, headEnd).split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const status = Number(statusLine.split(' ')[1]);
    const bodyStart = headEnd + 4;
    // Every response of the service has a length or ends with the connection.
    const length = Number(headers['content-length'] ?? 0);
    if (this.#received.length < bodyStart + length && !this.#ended) return null;
    const body = this.#received.toString('utf8', bodyStart, bodyStart + length);
    this.#received = this.#received.subarray(bodyStart + length);
    return status === 100 ? this.#takeAnswer() : { status, headers, body };
  }
}

/** The text of one request, with the body's length added. */
export function rawRequest(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body: string | Buffer = '',
): Buffer {
  const bytes = Buffer.from(body);
  const all = { host: 'links.test', ...(bytes.length > 0 && { 'content-length': bytes.length }), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1'), bytes]);
}

/** Sends one request on a new connection. */
export async function sendRaw(url: string, bytes: string | Buffer): Promise<RawAnswer | null> {
  const connection = await RawConnection.open(url);
  connection.send(bytes);
  return await connection.answer().finally(() => connection.destroy());
}
