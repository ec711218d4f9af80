import { spawnSync } from 'node:child_process';

/** @returns what the program wrote. @throws with its output if it fails. */
export function run(command, words) {
  const { status, error, stdout, stderr } = spawnSync(command, words, { encoding: 'utf8' });
  if (error !== undefined) throw new Error(`${command} does not start: install it`, { cause: error });
  if (status !== 0) throw new Error(`${command} failed:\n${stdout}${stderr}`);
  return stdout;
}
