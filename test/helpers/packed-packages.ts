/** The packages as npm would publish them, in a folder that has nothing else but what they ask the app for. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface PackedPackage {
  readonly name: string;
  /** Its folder in the repository. */
  readonly folder: string;
  /** The published `package.json`. */
  readonly manifest: Manifest;
  readonly files: readonly string[];
}

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/** What apps have besides. React Native itself is not among the packages of the root. */
const BESIDES = {
  ...{ fastify: 'fastify', react: 'react', 'react-native': 'react-native-web', '@capacitor': '@capacitor' },
  ...{ '@types/node': '@types/node', '@types/react': '@types/react' },
};

export class PackedPackages {
  readonly dir = mkdtempSync(join(tmpdir(), 'throughline-packed-'));

  /** Without the scripts of packages: `npm ci` has built them. */
  async pack(): Promise<readonly PackedPackage[]> {
    const manifests = globSync('packages/*/package.json').sort();
    const folders = manifests
      .filter((file) => readManifest(file).private !== true)
      .map((file) => dirname(file));
    const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', this.dir];
    const { stdout } = await run('npm', [...args, ...folders.map((folder) => `--workspace=${folder}`)]);
    const packed = Object.values(JSON.parse(stdout) as Record<string, Packed>);
    assert.equal(packed.length, folders.length);
    mkdirSync(join(this.dir, 'node_modules/@throughline'), { recursive: true });
    mkdirSync(join(this.dir, 'node_modules/@types'));
    for (const [name, target] of Object.entries(BESIDES))
      symlinkSync(resolve('node_modules', target), join(this.dir, 'node_modules', name));
    return await Promise.all(packed.map((one) => this.#install(one)));
  }

  async #install({ name, filename, files }: Packed): Promise<PackedPackage> {
    const into = join(this.dir, 'node_modules', name);
    mkdirSync(into);
    await run('tar', ['-xzf', join(this.dir, filename), '--strip-components=1', '-C', into]);
    const manifest = readManifest(join(into, 'package.json'));
    return {
      ...{ name, manifest, folder: join('packages', basename(name)) },
      files: files.map(({ path }) => path).sort(),
    };
  }

  write(file: string, text: string): void {
    mkdirSync(dirname(join(this.dir, file)), { recursive: true });
    writeFileSync(join(this.dir, file), text);
  }

  /** @returns what it printed. */
  async node(...args: string[]): Promise<string> {
    return (await run(process.execPath, args, { cwd: this.dir })).stdout;
  }

  /** Checks the types of the files in a folder. @returns the errors. */
  async typeErrors(folder: string, compilerOptions: object): Promise<string[]> {
    const options = {
      ...{ strict: true, noEmit: true, target: 'es2022', skipLibCheck: true },
      ...compilerOptions,
    };
    this.write(`${folder}/tsconfig.json`, JSON.stringify({ compilerOptions: options, include: ['.'] }));
    const tsc = resolve('node_modules/typescript/bin/tsc');
    return await run(process.execPath, [tsc, '--pretty', 'false', '-p', folder], { cwd: this.dir }).then(
      () => [],
      ({ stdout }: { stdout: string }) => stdout.trim().split('\n'),
    );
  }

  remove(): void {
    rmSync(this.dir, { recursive: true });
  }
}

interface Packed {
  readonly name: string;
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

function readManifest(file: string): Manifest {
  return JSON.parse(readFileSync(file, 'utf8')) as Manifest;
}
