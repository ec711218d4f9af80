/**
 * Compiles the native halves as far as a machine without androidx and Xcode can: `npm run check:native`, or `android` or
 * `swift` alone. Nothing of them runs here but what they make of values for JavaScript.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const names = process.argv.slice(2);
for (const name of names.length === 0 ? ['android', 'swift'] : names) {
  const startedAt = performance.now();
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, `native-checks/${name}.js`)], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(1);
  console.log(`${name}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
}
