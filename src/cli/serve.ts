import { type Config, readConfig } from '../platform/config.ts';
import { workerNumber } from '../platform/workers/index.ts';
import { serveAlone } from './serve/alone.ts';
import { holdPort } from './serve/port.ts';
import { supervise } from './serve/supervise.ts';
import { work } from './serve/work.ts';

/** Runs the service until it is told to stop: in this process, or in workers that it supervises. */
export async function serve(): Promise<void> {
  const number = workerNumber();
  if (number !== null) return await work(number);
  const config = await readConfigWithPort();
  await (config.workers === 1 ? serveAlone(config) : supervise(config));
}

/** With `PORT=0` a free port is picked first: the default addresses are made of it. */
async function readConfigWithPort(): Promise<Config> {
  const config = readConfig(process.env);
  if (config.port !== 0) return config;
  const held = await holdPort(config);
  await held.letGo();
  return readConfig({ ...process.env, PORT: String(held.port) });
}
