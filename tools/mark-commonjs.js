/** Tells Node that `dist/cjs` of the package in the working directory is CommonJS, although the package is not. */
import { writeFileSync } from 'node:fs';

writeFileSync('dist/cjs/package.json', '{ "type": "commonjs" }\n');
