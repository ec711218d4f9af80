/** A client in a page of Chromium. Each start has a browser of its own; the storage is files, since a killed browser loses what it has not written yet. */
import { createInterface } from 'node:readline';
import type { KeyValueStorage } from '../../../core/src/index.ts';
import { fileStorage } from '../core-node/file-storage.ts';
import { startBrowser } from './browser.ts';
import { type ClientOfPage, servePage } from './page-server.ts';

type Stored = { readonly call: number } & (
  | { readonly method: 'setItem'; readonly key: string; readonly value: string }
  | { readonly method: 'getItem' | 'removeItem'; readonly key: string }
);

/** Until standard input ends. */
export async function runInChromium(client: ClientOfPage): Promise<never> {
  const directory = process.env.THROUGHLINE_STORAGE ?? '.';
  // The browser's profile: the runner removes it with the storage, also after a kill.
  process.env.TMPDIR = directory;
  const storage = fileStorage(directory);
  const browser = await startBrowser();
  const page = await servePage(client);

  await browser.expose('say', (line) => process.stdout.write(`${line}\n`));
  await browser.expose('store', async (text) => {
    const stored = JSON.parse(text) as Stored;
    const value = await store(storage, stored);
    await browser.evaluate(`stored(${stored.call}, ${JSON.stringify(value ?? null)})`);
  });
  await browser.open(page);
  for await (const line of createInterface(process.stdin))
    await browser.evaluate(`take(${JSON.stringify(line)})`);
  return process.exit();
}

function store(storage: KeyValueStorage, stored: Stored): unknown {
  if (stored.method === 'setItem') return storage.setItem(stored.key, stored.value);
  return storage[stored.method](stored.key);
}
