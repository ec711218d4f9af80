/** One script of the client and its driver that Hermes 0.12 understands: no modules, classes or async functions. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { basename, join } from 'node:path';

interface TypeScript {
  transpileModule(
    source: string,
    options: { readonly compilerOptions: object },
  ): { readonly outputText: string };
}

const CORE = join(import.meta.dirname, '..', '..', '..', 'core', 'src');
const OWN = ['../core/faulty-storage.ts', '../core/driver.ts', 'bridge.ts', 'host.ts'].map((file) =>
  join(import.meta.dirname, file),
);
const MODULES = join(import.meta.dirname, 'node_modules');
/** ES5 and CommonJS in the numbering of TypeScript. */
const OPTIONS = { target: 1, module: 1, downlevelIteration: true };

/** Kept in `node_modules`, since every start of the app needs it. @throws if the packages are not installed. */
export function bundle(): string {
  const missing = missingHermes();
  if (missing) throw new Error(missing);
  const core = readdirSync(CORE).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
  const sources = [...core.map((file) => join(CORE, file)), ...OWN].map(
    (file) => [basename(file), readFileSync(file, 'utf8')] as const,
  );
  const hash = createHash('sha256')
    .update(JSON.stringify([OPTIONS, sources]))
    .digest('hex');
  const kept = join(MODULES, '.cache', `${hash}.js`);
  if (!existsSync(kept)) keep(kept, compile(sources));
  return readFileSync(kept, 'utf8');
}

/** @returns why the client cannot run, or false. */
export function missingHermes(): string | false {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'Hermes runs on Linux x64 only';
  return existsSync(MODULES) ? false : `Hermes is not installed: run npm ci in ${import.meta.dirname}`;
}

/** Names of files are unique, so they name the modules. */
function compile(sources: readonly (readonly [string, string])[]): string {
  const typeScript = createRequire(import.meta.url)('typescript') as TypeScript;
  const modules = sources.map(([name, source]) => {
    // The compiler would take the type that an async function returns for the class of its promise.
    const plain = stripTypeScriptTypes(source);
    const { outputText } = typeScript.transpileModule(plain, { compilerOptions: OPTIONS });
    return `modules['${name}'] = function (exports, require) {\n${outputText}\n};\n`;
  });
  return `var modules = {}, loaded = {};
function load(path) {
  var name = path.split('/').pop();
  if (!loaded[name]) {
    loaded[name] = {};
    modules[name](loaded[name], load);
  }
  return loaded[name];
}
${modules.join('')}load('host.ts');`;
}

/** Clients that start at the same moment write the same. */
function keep(file: string, text: string): void {
  mkdirSync(join(file, '..'), { recursive: true });
  const own = `${file}.${process.pid}`;
  writeFileSync(own, text);
  renameSync(own, file);
}
