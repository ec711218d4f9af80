/** Tells Node the kinds of modules in `dist` of the package in the working directory, whatever its own kind is. */
import { writeFileSync } from 'node:fs';

writeFileSync('dist/cjs/package.json', '{ "type": "commonjs" }\n');
writeFileSync('dist/esm/package.json', '{ "type": "module", "sideEffects": false }\n');
