/** Builds the sample app as a signed APK, shrunk by ProGuard with the rules that the library brings to apps. */
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ANNOTATIONS, API, CLIENT_JAR, CORE_JAR, COROUTINES, DIST, HERE, STDLIB } from './paths.js';
import { JAVA, java, run } from './run.js';
import { libraryPath } from './toolchain.js';

const OUT = join(DIST, 'sample');
const SAMPLE = join(HERE, 'sample');
export const APK = join(DIST, 'throughline-sample.apk');

/** @returns what the APK is, as one line. */
export function buildSample(root) {
  rmSync(OUT, { recursive: true, force: true });
  mkdirSync(join(OUT, 'classes'), { recursive: true });
  compileSample();
  const shrunk = shrink(root);
  const dx = join(root, 'usr/lib/android-sdk/build-tools/debian/lib/dx.jar');
  java([dx], 'com.android.dx.command.Main', [
    '--dex',
    '--min-sdk-version=26',
    `--output=${join(OUT, 'classes.dex')}`,
    shrunk,
  ]);
  sign(root, packageApk(root));
  const verified = apksigner(root, ['verify', '--verbose']);
  if (!/v2 scheme.*: true/.test(verified)) throw new Error(`The APK is not signed:\n${verified}`);
  return `Sample app: ${Math.round(statSync(APK).size / 1000)} kB, signed`;
}

function compileSample() {
  const classPath = [API, CORE_JAR, CLIENT_JAR, STDLIB].join(':');
  run('javac', [
    '-Xlint:-options',
    '--release',
    '8',
    '-cp',
    classPath,
    '-d',
    join(OUT, 'classes'),
    ...globSync(join(SAMPLE, 'src/**/*.java')),
  ]);
}

/** Warnings of ProGuard name what the API of Android 10 lacks; the build fails by them. */
function shrink(root) {
  const shrunk = join(OUT, 'shrunk.jar');
  const filter = '(!META-INF/**,!**.kotlin_builtins,!**.kotlin_module)';
  const rules = [join(SAMPLE, 'proguard.pro'), join(HERE, 'consumer-rules.pro')].map(
    (file) => `-include ${file}`,
  );
  const own = join(OUT, 'rules.pro');
  const coroutines = run('unzip', ['-p', COROUTINES, 'META-INF/proguard/coroutines.pro']);
  const jars = [join(OUT, 'classes'), CORE_JAR, CLIENT_JAR, STDLIB, COROUTINES].map(
    (jar) => `-injars ${jar}${filter}`,
  );
  writeFileSync(
    own,
    [...rules, ...jars, `-libraryjars ${API}:${ANNOTATIONS}`, `-outjars ${shrunk}`, coroutines].join('\n'),
  );
  run('java', [...JAVA, '-Xss4m', '-jar', join(root, 'usr/share/java/proguard.jar'), `@${own}`]);
  if (run('unzip', ['-p', shrunk]).includes('LambdaMetafactory'))
    throw new Error('The sample has lambdas that Android does not know.');
  return shrunk;
}

function packageApk(root) {
  const env = libraryPath(root);
  const aapt = join(root, 'usr/bin/aapt');
  const manifest = join(OUT, 'AndroidManifest.xml');
  writeFileSync(manifest, mergedManifest());
  const framework = join(root, 'usr/share/android-framework-res/framework-res.apk');
  const unaligned = join(OUT, 'unaligned.apk');
  run(aapt, ['package', '-f', '-M', manifest, '-S', join(SAMPLE, 'res'), '-I', framework, '-F', unaligned], {
    env,
  });
  run(aapt, ['add', unaligned, 'classes.dex'], { cwd: OUT, env });
  const badging = run(aapt, ['dump', 'badging', unaligned], { env });
  if (!badging.includes("name='dev.throughline.sample'"))
    throw new Error(`The APK is not the sample:\n${badging}`);
  const aligned = join(OUT, 'aligned.apk');
  run(join(root, 'usr/bin/zipalign'), ['-f', '4', unaligned, aligned], { env });
  return aligned;
}

/** The sample's manifest with the entries of the library's, as Gradle merges them. */
function mergedManifest() {
  const library = readFileSync(join(HERE, 'AndroidManifest.xml'), 'utf8');
  const entries = library.slice(library.indexOf('<uses-permission'), library.indexOf('</manifest>'));
  return readFileSync(join(SAMPLE, 'AndroidManifest.xml'), 'utf8').replace(
    '<application',
    `${entries}<application`,
  );
}

/** With a key of this build alone, like that of debug builds. */
function sign(root, apk) {
  const store = join(OUT, 'sample.p12');
  const password = ['-storepass', 'android'];
  const key = [
    '-genkeypair',
    '-keystore',
    store,
    ...password,
    '-alias',
    'sample',
    '-keyalg',
    'EC',
    '-dname',
    'CN=Sample',
  ];
  run('keytool', [...key, '-validity', '3650']);
  cpSync(apk, APK);
  apksigner(root, ['sign', '--ks', store, '--ks-pass', 'pass:android']);
}

/** @returns what it says of the APK. */
function apksigner(root, words) {
  const jars = ['usr/share/java/apksigner.jar', 'usr/share/java/apksig.jar'].map((jar) => join(root, jar));
  const options = [...words, '--min-sdk-version', '26', APK];
  return java(jars, 'com.android.apksigner.ApkSignerTool', options);
}
