/**
 * Copies the sources of the clients of Android and iOS to where Gradle and Swift Package Manager build them with the plugin:
 * an app gets both with this package, as they are in no repository of their own.
 */
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const HERE = import.meta.dirname;
const CLIENTS = join(HERE, '../../clients');
const ANDROID = join(HERE, 'android/clients');
const IOS = join(HERE, 'ios/Clients');

for (const folder of [ANDROID, IOS]) rmSync(folder, { recursive: true, force: true });
cpSync(join(CLIENTS, 'kotlin/src'), join(ANDROID, 'kotlin/src'), { recursive: true });
cpSync(join(CLIENTS, 'android/src'), join(ANDROID, 'android/src'), { recursive: true });
for (const target of ['Throughline', 'ThroughlineIOS'])
  cpSync(join(CLIENTS, 'swift/Sources', target), join(IOS, target), { recursive: true });
for (const file of globSync('*.{xml,pro}', { cwd: join(CLIENTS, 'android') })) {
  mkdirSync(join(ANDROID, 'android'), { recursive: true });
  // Gradle takes the name of a library from its build file alone.
  const text = readFileSync(join(CLIENTS, 'android', file), 'utf8').replace(
    /(<manifest\b[^>]*?)\s+package="[^"]*"/,
    '$1',
  );
  writeFileSync(join(ANDROID, 'android', file), text);
}
