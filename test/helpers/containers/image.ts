/** The image of Throughline, built by the Dockerfile from the bundle. */
import { globSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Architecture } from './debian.ts';
import { makeBuildBase, makeNodeBase } from './stand-ins.ts';
import type { Store } from './store.ts';
import { run } from './tools.ts';

export const ROOT = join(import.meta.dirname, '../../..');
export const BASE = 'gcr.io/distroless/nodejs24-debian13:nonroot';

/** The image as compose files name it. */
export const IMAGE = `ghcr.io/throughline/throughline:${version()}`;

function version(): string {
  return JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version;
}

/** Makes the bundle with its bill of materials, of the console that `buildConsole` has built. @returns its folder. */
export function makeBundle(folder: string): string {
  run(process.execPath, ['tools/bundle.ts', folder], { cwd: ROOT });
  run(process.execPath, ['tools/sbom.ts', folder], { cwd: ROOT });
  return folder;
}

export function buildConsole(): void {
  run('npm', ['run', '--silent', 'build', '-w', 'packages/web', '-w', 'console'], { cwd: ROOT });
}

interface Build {
  readonly image: string;
  readonly bundle: string;
  readonly architecture?: Architecture;
  /** Docker's has a health check; OCI's is the same to the byte when it is built again. */
  readonly format?: 'docker' | 'oci';
}

/** Builds the last stage of the Dockerfile; the bundle takes the place of the stage that makes it. */
export function buildImage(
  store: Store,
  { image, bundle, architecture = 'amd64', format = 'docker' }: Build,
): void {
  const base = `${BASE}-${architecture}`;
  if (!store.podman('images', '--format', '{{.Repository}}:{{.Tag}}').includes(base))
    makeNodeBase(store, architecture, base);
  store.buildah(
    ...['build', '--isolation', 'chroot', '--pull-never', '--timestamp', '0'],
    ...['--platform', `linux/${architecture}`, '--build-arg', `BASE_IMAGE=${base}`],
    ...['--build-arg', `VERSION=${version()}`, '--build-context', `bundle=${bundle}`],
    ...['--format', format, '--no-cache', '--tag', image, ROOT],
  );
}

/** Builds the whole Dockerfile, with the packages of npm. @returns what the build writes. */
export function buildWithFirstStage(store: Store, image: string): string {
  const nodeImage = 'docker.io/library/node:24-trixie-slim';
  makeBuildBase(store, nodeImage);
  return store.buildah(
    ...['build', '--isolation', 'chroot', '--pull-never', '--timestamp', '0', '--format', 'docker'],
    ...['--volume', '/etc/resolv.conf:/etc/resolv.conf:ro', '--build-arg', `BASE_IMAGE=${BASE}-amd64`],
    ...['--build-arg', `VERSION=${version()}`, '--tag', image, ROOT],
  );
}

/** Bytes of the layers as a registry would hold them. */
export function compressedBytes(store: Store, image: string): number {
  const folder = join(store.folder, 'pushed');
  const compression = [
    '--disable-compression=false',
    '--compression-format',
    'zstd',
    '--compression-level',
    '7',
  ];
  store.buildah('push', ...compression, image, `oci:${folder}:pushed`);
  const bytes = globSync(join(folder, 'blobs/sha256/*')).reduce((sum, file) => sum + statSync(file).size, 0);
  rmSync(folder, { recursive: true });
  return bytes;
}

/** Copies the files of an image to look at them. */
export function filesOf(store: Store, image: string, paths: readonly string[], to: string): void {
  const container = store.podman('create', image).trim();
  mkdirSync(to, { recursive: true });
  for (const path of paths) store.podman('cp', `${container}:${path}`, to);
  store.podman('rm', container);
}
