/**
 * The baseline for redirects with a durable click: writes a line for each request to disk before the response, in
 * batches. The difference to `bare.ts` is the cost of the disk.
 */
import { write } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { openSyncedFile } from '../lib/synced-file.ts';

const FILE_BYTES = 8 * 1024 * 1024;

const file = openSyncedFile('bare', FILE_BYTES);
let offset = 0;
let pending: { line: string; response: ServerResponse }[] = [];
let isWriting = false;

const server = createServer((request, response) => {
  pending.push({ line: lineOf(request), response });
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
  // Lets requests that arrived together share the first write.
  await new Promise(setImmediate);
  while (pending.length > 0) {
    const batch = pending;
    pending = [];
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
