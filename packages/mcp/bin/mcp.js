#!/usr/bin/env node
// In the repository npm links this file before the package is built.
import { existsSync } from 'node:fs';

const main = new URL('../dist/main.js', import.meta.url);
if (existsSync(main)) await import(main.href);
else {
  process.stderr.write('The package is not built. Run “npm run build -w packages/mcp”.\n');
  process.exitCode = 2;
}
