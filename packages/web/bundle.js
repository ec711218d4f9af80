/** Makes `dist/web.js`, which the service sends to pages, and its compressed forms. */
import { readFileSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'rolldown';

const file = 'dist/web.js';
await build({
  input: 'src/script.ts',
  platform: 'browser',
  logLevel: 'warn',
  // Safari 15 is the oldest browser that iOS 15 has.
  transform: { target: 'safari15' },
  output: { file, format: 'iife', minify: true },
});
const script = readFileSync(file);
writeFileSync(`${file}.gz`, gzipSync(script, { level: 9 }));
writeFileSync(`${file}.br`, brotliCompressSync(script));
