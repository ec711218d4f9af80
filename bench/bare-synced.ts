/**
 * The plainest server that does what a tap waits for: it has a line of each request on disk before it answers, those that
 * come while it writes together. It looks nothing up, and nobody reads the lines. What it is slower than the bare server
 * is the disk's part, and so are its pauses.
 */
import { write } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { openSyncedFile } from './synced-file.ts';

const FILE_BYTES = 8 * 1024 * 1024;

const file = openSyncedFile('bare', FILE_BYTES);
let offset = 0;
let waiting: { line: string; response: ServerResponse }[] = [];
let isWriting = false;

const server = createServer((request, response) => {
  waiting.push({ line: lineOf(request), response });
  if (!isWriting) writeAll();
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('SIGTERM', () => process.exit(0));
process.on('disconnect', () => process.exit(0));

function lineOf({ url, headers }: IncomingMessage): string {
  const { 'x-forwarded-for': address, 'user-agent': userAgent, 'accept-language': language } = headers;
  return `${url}\t${address}\t${userAgent}\t${language}\t${Date.now()}\n`;
}

async function writeAll(): Promise<void> {
  isWriting = true;
  // Requests that arrived together share the first write too.
  await new Promise(setImmediate);
  while (waiting.length > 0) {
    const batch = waiting;
    waiting = [];
    await writeSynced(Buffer.from(batch.map(({ line }) => line).join('')));
    for (const { response } of batch)
      response.writeHead(302, { location: 'https://example.com/', 'content-length': 0 }).end();
  }
  isWriting = false;
}

async function writeSynced(bytes: Buffer): Promise<void> {
  if (offset + bytes.length > FILE_BYTES) offset = 0;
  await promisify(write)(file, bytes, 0, bytes.length, offset);
  offset += bytes.length;
}
