import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Foundation } from '../foundation.ts';
import { monotonicMs } from '../lib/clock.ts';

const SHORT_PATH = /^(?:\/[\w.~-]{1,64}){1,2}/;

export interface AccessLog {
  /** Writes a line when the response has ended. */
  follow(request: IncomingMessage, response: ServerResponse): void;
  /** Tells the ID in its response, of which that keeps no copy. */
  identify(request: IncomingMessage, requestId: string): void;
  /** Names the route that the framework found: the pattern, since a path may hold identifiers of people. */
  name(request: IncomingMessage, route: string | undefined): void;
}

const OFF: AccessLog = { follow: () => undefined, identify: () => undefined, name: () => undefined };

/** A line of the log for each request, if the settings ask for it: neither address nor key, query nor identifier. */
export function createAccessLog({ config, log }: Pick<Foundation, 'config' | 'log'>): AccessLog {
  if (!config.accessLog) return OFF;
  const routes = new WeakMap<IncomingMessage, string | null>();
  const ids = new WeakMap<IncomingMessage, string>();
  return {
    identify: (request, requestId) => ids.set(request, requestId),
    name: (request, route) => routes.set(request, route ?? null),
    follow(request, response) {
      const [begunMs, { method, url = '', socket }] = [monotonicMs(), request];
      const sentBefore = socket.bytesWritten;
      response.once('close', () => {
        const named = routes.get(request);
        log.info(
          {
            method,
            // Without a route it is a short path, as the owner of the service chose it.
            route: named === undefined ? (SHORT_PATH.exec(url)?.[0] ?? null) : named,
            status: response.statusCode,
            ms: Math.round((monotonicMs() - begunMs) * 10) / 10,
            // With the headers.
            bytes: socket.bytesWritten - sentBefore,
            requestId: ids.get(request) ?? null,
            ...(!response.writableFinished && { aborted: true }),
          },
          'request',
        );
      });
    },
  };
}
