/**
 * Keep-alive connections over plain sockets, each with one request under way, for the processes that make load: they
 * share the machine with what they measure, so they do as little as they can.
 */
import { connect } from 'node:net';

/** What goes over a connection. */
export interface Talk {
  /**
   * The next request; null closes the connection, and `later` leaves it to the talk to have it `goOn`, with the time from
   * which the request counts.
   */
  next(nowMs: number, goOn: (nowMs: number) => void): Buffer | null | 'later';
  answered(answer: string, startedMs: number, nowMs: number): void;
  failed(what: string): void;
}

export interface Connection {
  /** Starts asking. Resolves once the connection is closed. */
  carry(talk: Talk): Promise<void>;
}

const READ_BYTES = 64 * 1024;
const HEAD_END = '\r\n\r\n';
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i;

/** Read into by every connection in turn: an answer is looked at before the next one is read. */
const buffer = Buffer.allocUnsafe(READ_BYTES);

export async function openConnection(port: number): Promise<Connection> {
  const opened = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  let talk: Talk = { next: () => null, answered: () => undefined, failed: () => undefined };
  let startedMs = 0;
  let rest = '';
  const ask = (nowMs: number) => {
    const request = talk.next(nowMs, ask);
    if (request === 'later') return;
    startedMs = nowMs;
    if (request === null) socket.destroy();
    else socket.write(request);
  };
  const read = (length: number): boolean => {
    const text = rest + buffer.toString('latin1', 0, length);
    if (!isWhole(text)) {
      rest = text;
      return true;
    }
    rest = '';
    const nowMs = performance.now();
    talk.answered(text, startedMs, nowMs);
    ask(nowMs);
    return true;
  };
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, onread: { buffer, callback: read } });
  socket.on('connect', () => opened.resolve());
  socket.on('error', (error) => {
    opened.reject(error);
    talk.failed(error.message);
  });
  socket.on('end', () => talk.failed('the server closed a connection'));
  socket.on('close', () => closed.resolve());
  await opened.promise;
  return {
    carry(given) {
      talk = given;
      ask(performance.now());
      return closed.promise;
    },
  };
}

function isWhole(text: string): boolean {
  const headEnd = text.indexOf(HEAD_END);
  if (headEnd === -1) return false;
  const contentLength = Number(CONTENT_LENGTH.exec(text)?.[1] ?? 0);
  return text.length >= headEnd + HEAD_END.length + contentLength;
}
