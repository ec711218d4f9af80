/** Serves a page that loads the built client. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';

const CORE = join(import.meta.dirname, '..', '..', '..', 'core', 'dist', 'esm');
const DRIVER = join(import.meta.dirname, '..', 'core');

export interface ClientOfPage {
  /** The path of the module that exports `createThroughline` and `StandardEvent`. */
  readonly module: string;
  /** Scripts by their paths; `/before.js` runs before all others. */
  readonly scripts: Readonly<Record<string, string>>;
}

const pageOf = (module: string) => `<!doctype html><script src="/before.js"></script><script type="module">
import { createThroughline, StandardEvent } from '${module}';
import { createDriver } from '/driver.ts';
const calls = [];
globalThis.stored = (call, value) => calls[call](value);
const storage = Object.fromEntries(['getItem', 'setItem', 'removeItem'].map((method) => [
  method,
  (key, value) => new Promise((resolve) => {
    const call = calls.push(resolve) - 1;
    store(JSON.stringify({ call, method, key, value }));
  }),
]));
const drive = createDriver({ createThroughline, StandardEvent, storage, say: (line) => say(JSON.stringify(line)) });
globalThis.take = (line) => void drive(line);
document.title = 'ready';
</script>`;

/** @returns its URL. */
export async function servePage({ module, scripts }: ClientOfPage): Promise<string> {
  const server = createServer(({ url = '/' }, response) => {
    const driver = /^\/(driver|faulty-storage)\.ts$/.exec(url)?.[1];
    const file = /^\/core\/([\w-]+\.js)$/.exec(url)?.[1];
    response.setHeader('content-type', url === '/' ? 'text/html' : 'text/javascript');
    if (url === '/') response.end(pageOf(module));
    else if (scripts[url] !== undefined) response.end(scripts[url]);
    else if (url === '/before.js') response.end();
    else if (driver !== undefined)
      response.end(stripTypeScriptTypes(readFileSync(join(DRIVER, `${driver}.ts`), 'utf8')));
    else if (file !== undefined) response.end(readFileSync(join(CORE, file)));
    else response.writeHead(404).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`;
}
