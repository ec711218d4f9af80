/** Where the build finds and leaves its files. */
import { homedir } from 'node:os';
import { join } from 'node:path';

export const HERE = join(import.meta.dirname, '..');
export const ROOT = join(HERE, '../..');
export const KOTLIN = join(ROOT, 'clients/kotlin');
export const DIST = join(HERE, 'dist');
/** Downloads of all native clients; `THROUGHLINE_CACHE` names another folder. */
export const CACHE = join(process.env.THROUGHLINE_CACHE ?? join(homedir(), '.cache/throughline'), 'android');

const LIBRARIES = join(KOTLIN, 'node_modules/kotlin-compiler/lib');
export const COMPILER = join(LIBRARIES, 'kotlin-compiler.jar');
export const STDLIB = join(LIBRARIES, 'kotlin-stdlib.jar');
export const COROUTINES = join(LIBRARIES, 'kotlinx-coroutines-core-jvm.jar');
/** Of the standard library, for programs that look at it. */
export const ANNOTATIONS = join(LIBRARIES, 'annotations-13.0.jar');
export const TEST_LIBRARY = join(LIBRARIES, 'kotlin-test.jar');

/** To compile against: the API of Android 10, whose methods throw. */
export const API = join(DIST, 'android-29.jar');
export const CORE_JAR = join(DIST, 'throughline-kotlin.jar');
export const CLIENT_JAR = join(DIST, 'throughline-android.jar');
export const TOOLS = join(DIST, 'tools');
