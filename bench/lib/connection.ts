/**
 * Keep-alive connections over plain sockets with one request in flight each. Load generators share the machine with the
 * measured server, so this does as little work as possible.
 */
import { connect } from 'node:net';

export interface RequestSource {
  /**
   * The next request, or null to close the connection. After `later` the source calls `resume`, with the time from which
   * the latency counts.
   */
  next(nowMs: number, resume: (nowMs: number) => void): Buffer | null | 'later';
  answered(response: string, startedMs: number, nowMs: number): void;
  failed(error: string): void;
}

interface Connection {
  /** Resolves once the connection is closed. */
  run(source: RequestSource): Promise<void>;
}

const READ_BYTES = 64 * 1024;
const HEAD_END = '\r\n\r\n';
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i;

/** Shared by all connections: each chunk is decoded before the next one is read. */
const buffer = Buffer.allocUnsafe(READ_BYTES);

export async function openConnection(port: number): Promise<Connection> {
  const opened = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  let source: RequestSource = { next: () => null, answered: () => undefined, failed: () => undefined };
  let startedMs = 0;
  let received = '';
  const send = (nowMs: number) => {
    const request = source.next(nowMs, send);
    if (request === 'later') return;
    startedMs = nowMs;
    if (request === null) socket.destroy();
    else socket.write(request);
  };
  const read = (length: number): boolean => {
    received += buffer.toString('latin1', 0, length);
    if (!isComplete(received)) return true;
    const response = received;
    received = '';
    const nowMs = performance.now();
    source.answered(response, startedMs, nowMs);
    send(nowMs);
    return true;
  };
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, onread: { buffer, callback: read } });
  socket.on('connect', () => opened.resolve());
  socket.on('error', (error) => {
    opened.reject(error);
    source.failed(error.message);
  });
  socket.on('end', () => source.failed('the server closed a connection'));
  socket.on('close', () => closed.resolve());
  await opened.promise;
  return {
    run(given) {
      source = given;
      send(performance.now());
      return closed.promise;
    },
  };
}

function isComplete(text: string): boolean {
  const headEnd = text.indexOf(HEAD_END);
  if (headEnd === -1) return false;
  const contentLength = Number(CONTENT_LENGTH.exec(text)?.[1] ?? 0);
  return text.length >= headEnd + HEAD_END.length + contentLength;
}
