/** `@throughline/core` in Hermes, the JavaScript engine of React Native, through the prompt of its command line. */
import { spawn } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileStorage } from '../core-node/file-storage.ts';
import { type Ask, type Fetched, MARK, type ToMachine, type ToNode } from './bridge.ts';
import { bundle } from './bundle.ts';

const HERMES = join(import.meta.dirname, 'node_modules/hermes-engine-cli/linux64-bin/hermes');

const script = bundle();
// The package has it without the permission.
chmodSync(HERMES, 0o755);
const hermes = spawn(HERMES, ['-Xmicrotask-queue'], { stdio: ['pipe', 'pipe', 'inherit'] });
hermes.stdin.on('error', () => process.exit(1));
const storage = fileStorage(process.env.THROUGHLINE_STORAGE ?? '.');

hermes.on('exit', (code) => process.exit(code ?? 1));
createInterface(hermes.stdout).on('line', hear);
hermes.stdin.write(`(0, eval)(${JSON.stringify(script)})\n`);
createInterface(process.stdin)
  .on('line', (line) => tell({ to: 'take', line }))
  .on('close', () => hermes.kill());

function tell(message: ToMachine): void {
  hermes.stdin.write(`hear(${JSON.stringify(message)})\n`);
}

function hear(line: string): void {
  const start = line.indexOf(MARK);
  // What the prompt prints by itself is the value of each line.
  if (start === -1) return void process.stderr.write(/Error/.test(line) ? `${line}\n` : '');
  const message = JSON.parse(line.slice(start + MARK.length)) as ToNode;
  if (message.to === 'say') process.stdout.write(`${JSON.stringify(message.line)}\n`);
  else if (message.to === 'log') process.stderr.write(`${message.text}\n`);
  else if (message.to === 'wait')
    setTimeout(() => tell({ to: 'fire', timer: message.timer }), message.ms).unref();
  else void settle(message.call, message);
}

async function settle(call: number, question: Ask): Promise<void> {
  try {
    tell({ to: 'settle', call, error: null, value: (await answer(question)) ?? null });
  } catch (error) {
    tell({ to: 'settle', call, error: String(error), value: null });
  }
}

function answer(question: Ask): Promise<unknown> {
  if (question.for === 'fetch') return fetched(question);
  if (question.for === 'setItem') return storage.setItem(question.key, question.value);
  return storage[question.for](question.key);
}

async function fetched({ url, method, headers, body }: Ask & { for: 'fetch' }): Promise<Fetched> {
  const response = await fetch(url, { method, headers, ...(body !== undefined && { body }) });
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    text: await response.text(),
  };
}
