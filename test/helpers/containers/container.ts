/** A running container of the image, as hardened as the documents say. */
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../free-port.ts';
import { waitFor } from '../wait-for.ts';
import { IMAGE } from './image.ts';
import type { Store } from './store.ts';

export interface Container {
  readonly url: string;
  readonly name: string;
  /** Runs a command inside. @returns what it writes to standard output. */
  exec(...command: readonly string[]): string;
  logs(): string;
  /** Reads a field of the container's state. */
  state(field: string): string;
  /** Sends SIGTERM, and waits. @returns the exit code. */
  stop(): number;
  ready(): Promise<void>;
}

const HARDENED = [
  '--init',
  ...['--read-only', '--tmpfs', '/tmp:size=64m,mode=1777', '--cap-drop', 'all'],
  ...['--security-opt', 'no-new-privileges'],
];

/** @param volume a name, or a folder of the host. */
export async function startContainer(
  store: Store,
  { volume, env = {} }: { readonly volume: string; readonly env?: Readonly<Record<string, string>> },
): Promise<Container> {
  const port = await freePort();
  const name = `throughline-${port}`;
  const variables = Object.entries(env).flatMap(([key, value]) => ['--env', `${key}=${value}`]);
  store.podman(
    ...['run', '--detach', '--name', name, ...HARDENED, '--network', 'host'],
    ...['--env', 'HOST=127.0.0.1', '--env', `PORT=${port}`],
    ...['--volume', `${volume}:/data`, ...variables, IMAGE],
  );
  const url = `http://127.0.0.1:${port}`;
  const state = (field: string) =>
    store.podman('inspect', '--type', 'container', '--format', `{{.State.${field}}}`, name).trim();
  return {
    url,
    name,
    exec: (...command) => store.podman('exec', name, ...command),
    logs: () => store.podman('logs', name),
    state,
    stop() {
      store.podman('stop', '--time', '45', name);
      return Number(state('ExitCode'));
    },
    async ready() {
      await waitFor(`a ready container ${name}`, async () => {
        if (state('Running') !== 'true')
          throw new Error(`the container ended: ${store.podman('logs', name)}`);
        const answer = await fetch(`${url}/readyz`).catch(() => null);
        if (answer?.ok !== true) await sleep(50);
        return answer?.ok === true ? true : undefined;
      });
    },
  };
}
