/**
 * Compiles the native halves as far as a machine without androidx and Xcode can: `npm run check:native`, or `android` or
 * `swift` alone. Nothing of them runs here but what they make of values for JavaScript.
 */
import { checkAndroid } from './native-checks/android.js';
import { checkSwift } from './native-checks/swift.js';

const CHECKS = { android: checkAndroid, swift: checkSwift };
const names = process.argv.slice(2);
for (const name of names.length === 0 ? Object.keys(CHECKS) : names) {
  if (!Object.hasOwn(CHECKS, name)) throw new Error(`The checks are ${Object.keys(CHECKS).join(', ')}`);
  const startedAt = performance.now();
  await CHECKS[name]();
  console.log(`${name}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
}
