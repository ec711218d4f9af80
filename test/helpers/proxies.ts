/** Real proxies, with the files of the guide; only ports, certificates and temporary folders are those of the test. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { waitFor } from './wait-for.ts';

const GUIDE = new URL('../../docs/guide/proxies.md', import.meta.url);
export const PROXY_HOST = 'links.example.com';

export const PROXIES = {
  nginx: {
    hasVersion: ['-v'],
    command: (file: string, folder: string) => [
      '-c',
      file,
      '-p',
      folder,
      '-g',
      `daemon off; pid ${folder}/pid;`,
    ],
    adapt: (text: string, { port, folder }: Adaption) =>
      text
        .replace('listen 443 ', `listen 127.0.0.1:${port} `)
        .replaceAll('/etc/ssl/links.example.com', folder)
        .replace('http {', `http {\n  access_log off; error_log stderr;\n${temporaryPaths(folder)}`),
  },
  caddy: {
    hasVersion: ['version'],
    command: (file: string) => ['run', '--config', file, '--adapter', 'caddyfile'],
    adapt: (text: string, { port, folder }: Adaption) =>
      text.replace(
        `${PROXY_HOST} {`,
        `{\n\tadmin off\n\tauto_https disable_redirects\n}\nhttps://${PROXY_HOST}:${port} {\n\tbind 127.0.0.1\n\ttls ${folder}/fullchain.pem ${folder}/privkey.pem`,
      ),
  },
  haproxy: {
    hasVersion: ['-v'],
    command: (file: string) => ['-db', '-f', file],
    adapt: (text: string, { port, folder }: Adaption) =>
      text.replace('bind :443', `bind 127.0.0.1:${port}`).replaceAll('/etc/ssl/links.example.com', folder),
  },
} as const;
export type ProxyName = keyof typeof PROXIES;

interface Adaption {
  readonly port: number;
  readonly folder: string;
}

/** Why the proxy cannot be tested here; false if it can. */
export function lacks(name: ProxyName): string | false {
  const { error } = spawnSync(name, PROXIES[name].hasVersion);
  return error === undefined ? false : `${name} is not installed (apt-get install ${name})`;
}

/** Starts a proxy of two processes at these ports, or of one. */
export async function startProxy(
  name: ProxyName,
  [first, second]: readonly [number, number?],
): Promise<{ readonly port: number; output(): string; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), `throughline-${name}-`));
  chmodSync(folder, 0o755);
  makeCertificate(folder);
  const port = await freePort();
  const { adapt, command } = PROXIES[name];
  const guide = second === undefined ? forOneProcess(fileOfGuide(name)) : fileOfGuide(name);
  const text = adapt(guide, { port, folder }).replace(':8081', `:${first}`).replace(':8082', `:${second}`);
  const file = join(folder, 'config');
  writeFileSync(file, text);
  const child = spawn(name, command(file, folder), {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (output += part));
  const ended = once(child, 'exit');
  await waitFor(`${name} to listen`, async () => {
    if (child.exitCode !== null) throw new Error(`${name} ended: ${output}`);
    return isListening(port);
  });
  return {
    port,
    output: () => output,
    async stop() {
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function fileOfGuide(name: ProxyName): string {
  const language = name === 'caddy' ? 'caddy' : name;
  const found = new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(readFileSync(GUIDE, 'utf8'));
  if (found?.[1] === undefined) throw new Error(`the guide has no file of ${name}`);
  return found[1];
}

/** Without what the guide says to leave out: the second process, and checks that would drop the only one. */
function forOneProcess(text: string): string {
  return text
    .replace(/^ *server .*:8082.*\n/m, '')
    .replace(' 127.0.0.1:8082', '')
    .replace(/^\s*(health_\w+|option httpchk|default-server) .*\n/gm, '');
}

function makeCertificate(folder: string): void {
  const [key, certificate] = [join(folder, 'privkey.pem'), join(folder, 'fullchain.pem')];
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', `/CN=${PROXY_HOST}`].concat([
      '-addext',
      `subjectAltName=DNS:${PROXY_HOST}`,
      '-keyout',
      key,
      '-out',
      certificate,
    ]),
    { stdio: 'ignore' },
  );
  writeFileSync(join(folder, 'haproxy.pem'), readFileSync(certificate, 'utf8') + readFileSync(key, 'utf8'));
}

function temporaryPaths(folder: string): string {
  const names = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  for (const name of names) {
    mkdirSync(join(folder, name));
    chmodSync(join(folder, name), 0o777);
  }
  return names.map((name) => `  ${name}_temp_path ${join(folder, name)};\n`).join('');
}

async function isListening(port: number): Promise<true | undefined> {
  const { connect } = await import('node:net');
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return undefined;
  } finally {
    socket.destroy();
  }
}
