/** Docker Compose of Debian 13, on podman or Docker. It reads the files of the repository as they are. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { unpack } from './debian.ts';
import { ROOT } from './image.ts';
import type { Store } from './store.ts';

/** @returns what the command writes to standard output. */
export type Compose = (...args: readonly string[]) => Promise<string>;

/** @param settings what the documents write into `.env`. */
export async function makeCompose(
  store: Pick<Store, 'folder' | 'serveApi'>,
  file: string,
  settings: Readonly<Record<string, string>>,
): Promise<Compose> {
  const folder = join(store.folder, 'compose');
  unpack('amd64', ['docker-compose'], folder);
  const program = join(folder, 'usr/libexec/docker/cli-plugins/docker-compose');
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, DOCKER_HOST: await store.serveApi(), ...settings };
  const project = `throughline-${process.pid}`;
  return async (...args) => {
    const all = ['--file', join(ROOT, file), '--project-name', project, ...args];
    const options = { cwd: store.folder, env, maxBuffer: 1 << 26 };
    return (await promisify(execFile)(program, all, options)).stdout;
  };
}
