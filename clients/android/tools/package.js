/** Lays out what Maven Central takes, without signatures: these need a key, which the workflow has. */
import { createHash } from 'node:crypto';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { documentation } from './documentation.js';
import { CLIENT_JAR, CORE_JAR, COROUTINES, DIST, HERE, KOTLIN, ROOT } from './paths.js';
import { pom } from './pom.js';
import { run } from './run.js';

export const REPOSITORY = join(DIST, 'maven');
const STAGE = join(DIST, 'stage');
/** The same bytes at each build of the same sources. */
const DATE = '2026-01-01T00:00:00Z';

/** @returns what was packed, as one line. */
export function packageClients() {
  for (const folder of [REPOSITORY, STAGE]) rmSync(folder, { recursive: true, force: true });
  const settings = JSON.parse(readFileSync(join(HERE, 'publication.json'), 'utf8'));
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const kotlin = JSON.parse(readFileSync(join(KOTLIN, 'package.json'), 'utf8')).devDependencies[
    'kotlin-compiler'
  ];
  const coroutines = run('unzip', ['-p', COROUTINES, 'META-INF/kotlinx_coroutines_core.version']).trim();
  const libraries = [
    { groupId: 'org.jetbrains.kotlin', artifactId: 'kotlin-stdlib', version: kotlin },
    { groupId: 'org.jetbrains.kotlinx', artifactId: 'kotlinx-coroutines-core-jvm', version: coroutines },
  ];
  const core = { groupId: settings.group, artifactId: 'throughline-kotlin', version };
  const publish = (artifact, packaging, dependencies, sources, write) => {
    const folder = join(REPOSITORY, settings.group.replaceAll('.', '/'), artifact, version);
    mkdirSync(folder, { recursive: true });
    const named = (suffix) => join(folder, `${artifact}-${version}${suffix}`);
    write(named(`.${packaging}`));
    writeFileSync(named('.pom'), pom({ settings, artifact, version, packaging, dependencies }));
    zip(named('-sources.jar'), (to) => cpSync(sources, to, { recursive: true }));
    zip(named('-javadoc.jar'), (to) => writePages(to, settings.artifacts[artifact].name, sources));
    for (const file of globSync(join(folder, '*'))) writeSums(file);
  };
  publish('throughline-kotlin', 'jar', libraries, join(KOTLIN, 'src'), (file) => cpSync(CORE_JAR, file));
  publish('throughline-android', 'aar', [core, ...libraries], join(HERE, 'src'), (file) =>
    zip(file, writeLibrary),
  );
  return `Packages: ${globSync(join(REPOSITORY, '**/*.{jar,aar,pom}'))
    .map((file) => basename(file))
    .join(', ')}`;
}

/** The layout of an AAR, see developer.android.com/studio/projects/android-library. */
function writeLibrary(to) {
  const gradle = join(to, 'META-INF/com/android/build/gradle');
  mkdirSync(gradle, { recursive: true });
  cpSync(join(HERE, 'AndroidManifest.xml'), join(to, 'AndroidManifest.xml'));
  cpSync(CLIENT_JAR, join(to, 'classes.jar'));
  cpSync(join(HERE, 'consumer-rules.pro'), join(to, 'proguard.txt'));
  cpSync(join(HERE, 'LICENSE'), join(to, 'META-INF/LICENSE'));
  writeFileSync(join(to, 'R.txt'), '');
  const metadata = [
    'aarFormatVersion=1.0',
    'aarMetadataVersion=1.0',
    'minCompileSdk=29',
    'minAndroidGradlePluginVersion=1.0.0',
  ];
  writeFileSync(join(gradle, 'aar-metadata.properties'), `${metadata.join('\n')}\n`);
}

function writePages(to, title, sources) {
  const files = globSync(join(sources, '*.kt')).sort();
  const texts = files.map((file) => readFileSync(file, 'utf8'));
  writeFileSync(join(to, 'index.html'), documentation(title, texts));
}

function zip(file, write) {
  rmSync(STAGE, { recursive: true, force: true });
  mkdirSync(STAGE, { recursive: true });
  write(STAGE);
  run('jar', ['--create', '--no-manifest', `--date=${DATE}`, '--file', file, '-C', STAGE, '.']);
}

function writeSums(file) {
  for (const algorithm of ['md5', 'sha1', 'sha256', 'sha512'])
    writeFileSync(`${file}.${algorithm}`, createHash(algorithm).update(readFileSync(file)).digest('hex'));
}
