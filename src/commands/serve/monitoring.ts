import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import type { Config } from '../../config.ts';
import type { Api } from '../../server/server.ts';
import { BACKLOG } from './handed-over.ts';
import { portRefused } from './port.ts';

const PATHS: readonly string[] = ['/healthz', '/readyz', '/metrics'];

/**
 * Serves this process's `/healthz`, `/readyz` and `/metrics` on `METRICS_PORT`, or on the socket that was handed over for
 * them: a request to a port that several processes share reaches any one of them.
 * @returns stops serving; null where `METRICS_PORT` is not set.
 * @throws StartError when the port cannot be used.
 */
export async function listenForMonitoring(
  api: Api,
  { host, metricsPort }: Pick<Config, 'host' | 'metricsPort'>,
  handedOver: Socket | null,
): Promise<(() => Promise<void>) | null> {
  if (metricsPort === null) return null;
  const server = createServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?', 1);
    if (PATHS.includes(path)) api.routing(request, response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((listening, reject) => {
    server.once('error', (error) => reject(portRefused('METRICS_PORT', { port: metricsPort, host }, error)));
    if (handedOver === null) server.listen(metricsPort, host, listening);
    else server.listen(handedOver, BACKLOG, listening);
  });
  return async () => {
    await new Promise((closed) => {
      server.close(closed);
      server.closeAllConnections();
    });
  };
}
