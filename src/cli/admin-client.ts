import { openService } from '../app.ts';
import { readConfig } from '../platform/config.ts';
import { DataDirTaken, findServer } from '../platform/data-dir.ts';
import { StartError } from '../platform/errors.ts';
import { createLog } from '../platform/log.ts';

/** Calls `/v1/admin`; the answer's body, or a StartError with the error's text. */
export type AdminCall = (
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: object,
) => Promise<unknown>;

/**
 * Does `work` through the admin API: of the running server where one holds the data directory, else of one that is
 * assembled in this process and never listens.
 */
export async function withAdmin(work: (call: AdminCall) => Promise<void>): Promise<void> {
  const config = readConfig(process.env);
  const log = createLog('warn');
  try {
    const service = await openService(config, {
      log,
      onDeath: (cause) => log.fatal({ err: cause }, 'storing failed'),
    });
    try {
      await work(async (method, path, body) => {
        const headers = { authorization: `Bearer ${service.dataDir.adminToken}` };
        const answer = await service.api.inject({
          method,
          url: `/v1/admin${path}`,
          headers,
          ...(body && { payload: body }),
        });
        return read(answer.statusCode, answer.body);
      });
    } finally {
      await service.close();
    }
  } catch (error) {
    if (!(error instanceof DataDirTaken)) throw error;
    const server = findServer(config);
    if (server === null) throw error;
    await work((method, path, body) => callServer(server, method, path, body));
  }
}

async function callServer(
  server: { url: string; adminToken: string },
  method: string,
  path: string,
  body?: object,
): Promise<unknown> {
  const headers = {
    authorization: `Bearer ${server.adminToken}`,
    ...(body && { 'content-type': 'application/json' }),
  };
  const answer = await fetch(`${server.url}/v1/admin${path}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  return read(answer.status, await answer.text());
}

function read(status: number, text: string): unknown {
  const body = text === '' ? null : (JSON.parse(text) as unknown);
  if (status >= 400) throw new StartError((body as { error: string }).error);
  return body;
}
