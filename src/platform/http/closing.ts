import type { Api } from './server.ts';

/** Requests under way have this long once the server stops. */
const FINISH_WITHIN_MS = 7_000;
const LOOK_FOR_IDLE_EVERY_MS = 100;

/**
 * Takes no new connection and answers what is under way. A connection goes once it is idle; one that says nothing, or
 * never ends its request, is not waited for longer than 7 s.
 */
export async function closeServer(api: Api): Promise<void> {
  const idle = setInterval(() => api.server.closeIdleConnections(), LOOK_FOR_IDLE_EVERY_MS);
  const late = setTimeout(() => api.server.closeAllConnections(), FINISH_WITHIN_MS);
  await api.close();
  clearInterval(idle);
  clearTimeout(late);
}
