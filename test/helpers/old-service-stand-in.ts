/** A stand-in for a link service that is moved away from, on loopback. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface OldRequest {
  readonly method: string;
  readonly path: string;
  readonly userAgent: string;
  readonly atMs: number;
}

/** A redirect to an address, a status, or what answers itself. */
export type OldAnswer =
  | string
  | number
  | ((request: IncomingMessage, response: ServerResponse, nth: number) => unknown);

export interface OldServiceStandIn {
  readonly url: string;
  readonly requests: readonly OldRequest[];
  /** By path; others are 404. */
  readonly answers: Record<string, OldAnswer>;
  close(): void;
}

export async function standInForOldService(
  answers: Record<string, OldAnswer> = {},
): Promise<OldServiceStandIn> {
  const requests: OldRequest[] = [];
  const server = createServer((request, response) => {
    const { method = '', url: path = '', headers } = request;
    requests.push({ method, path, userAgent: headers['user-agent'] ?? '', atMs: performance.now() });
    const answer = answers[path] ?? 404;
    if (typeof answer === 'string') response.writeHead(302, { location: answer }).end();
    else if (typeof answer === 'number') response.writeHead(answer).end();
    else answer(request, response, requests.filter((one) => one.path === path).length);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answers,
    close: () => server.close().closeAllConnections(),
  };
}
