/** Writes the TypeScript client of docs/api/openapi.json. Run `npm run generate:client` in the root. */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';

const DOCUMENT = join(import.meta.dirname, '../../../docs/api/openapi.json');
const OUTPUT = join(import.meta.dirname, '../src/generated');

await createClient({
  input: DOCUMENT,
  output: { path: OUTPUT, module: { extension: '.ts' } },
  plugins: ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'],
});
// By which `npm run check` notices a client that is older than the document.
const digest = createHash('sha256').update(readFileSync(DOCUMENT)).digest('hex');
writeFileSync(join(OUTPUT, 'openapi.sha256'), `${digest}\n`);
