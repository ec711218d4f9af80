/** Runs programs of the build. */
import { spawnSync } from 'node:child_process';

/** @returns what the program wrote. @throws with its output if it fails. */
export function run(command, programArguments, { cwd, env, shown = false } = {}) {
  const result = spawnSync(command, programArguments, {
    cwd,
    env: { ...process.env, ...env },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: shown ? 'inherit' : ['pipe', 'pipe', 'pipe'],
  });
  if (result.error !== undefined)
    throw new Error(`${command} does not start: install it.`, { cause: result.error });
  if (result.status === 0) return result.stdout ?? '';
  const output = shown ? '' : `\n${result.stdout}${result.stderr}`;
  throw new Error(
    `${command} ${programArguments.join(' ').slice(0, 300)} ended with ${result.status}.${output}`,
  );
}

/** Short lives: the second compiler of the JVM would not pay. */
export const JAVA = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];

export function java(classPath, main, programArguments, options) {
  return run('java', [...JAVA, '-cp', classPath.join(':'), main, ...programArguments], options);
}

/** Prints what a step took, since some of them take long. */
export function step(name, action) {
  const beganMs = performance.now();
  const result = action();
  const seconds = ((performance.now() - beganMs) / 1000).toFixed(1);
  process.stdout.write(`${name}: ${seconds} s\n`);
  return result;
}
