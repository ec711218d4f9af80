/** A phone with the app: starts the client program, sends it commands, and reads what it says. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { JsonObject } from './scenario.ts';

/** Names the directory that is the storage of the installed app. */
const STORAGE_VARIABLE = 'THROUGHLINE_STORAGE';

interface Said {
  readonly said?: unknown;
  readonly id?: unknown;
  readonly value?: unknown;
  readonly error?: unknown;
  /** What the client cannot do. */
  readonly unsupported?: unknown;
  readonly link?: unknown;
  readonly message?: unknown;
}

/** The client program has no such command, or not with these fields. */
export class UnsupportedError extends Error {}

interface App {
  readonly child: ChildProcess;
  readonly ended: Promise<void>;
  isEnded: boolean;
}

const KEPT_ERROR_CHARACTERS = 2_000;

export class Phone {
  /** Links that listeners got, in all processes. */
  readonly links: unknown[] = [];
  readonly corrections: unknown[] = [];
  /** Values that Apple took. */
  readonly conversions: unknown[] = [];
  /** Warnings and errors of the client. */
  readonly log: string[] = [];
  /** The end of the program's standard error. */
  complaint = '';
  readonly #command: string;
  readonly #waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  #storage = makeStorage();
  #app: App | null = null;
  #lastId = 0;

  /** @param command runs in the shell. */
  constructor(command: string) {
    this.#command = command;
  }

  /** Starts the app; it was not running. */
  launch(): void {
    const child = spawn(this.#command, {
      shell: true,
      // A group of its own: killing the shell alone would leave the program running.
      detached: true,
      env: { ...process.env, [STORAGE_VARIABLE]: this.#storage },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const app: App = { child, isEnded: false, ended: once(child, 'close').then(() => undefined) };
    app.ended.then(() => this.#end(app));
    child.stdin.on('error', () => undefined);
    child.stderr.on('data', (chunk: Buffer) => {
      this.complaint = `${this.complaint}${chunk}`.slice(-KEPT_ERROR_CHARACTERS);
    });
    createInterface(child.stdout).on('line', (line) => this.#hear(line));
    this.#app = app;
  }

  /** @returns the value of the answer. @throws if the client answers an error or ends. */
  send(command: JsonObject): Promise<unknown> {
    const app = this.#app;
    if (app === null) throw new Error('the scenario sends a command to an app that does not run');
    const id = ++this.#lastId;
    app.child.stdin?.write(`${JSON.stringify({ ...command, id })}\n`);
    if (app.isEnded) return Promise.reject(new Error('the client ended by itself'));
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  /** Ends the app as the system does, without a word. */
  async kill(): Promise<void> {
    const app = this.#app;
    this.#app = null;
    if (app === null) return;
    this.#waiting.clear();
    if (!app.isEnded && app.child.pid !== undefined) process.kill(-app.child.pid, 'SIGKILL');
    await app.ended;
  }

  async uninstall(): Promise<void> {
    await this.kill();
    removeStorage(this.#storage);
    this.#storage = makeStorage();
  }

  async discard(): Promise<void> {
    await this.kill();
    removeStorage(this.#storage);
  }

  #end(app: App): void {
    app.isEnded = true;
    if (this.#app !== app) return;
    const error = new Error(`the client ended by itself with ${app.child.exitCode ?? app.child.signalCode}`);
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  /** Lines that are no JSON object are left to the program's runtime, which may print its own. */
  #hear(line: string): void {
    if (!line.startsWith('{')) return;
    const { said, id, value, error, unsupported, link, message } = JSON.parse(line) as Said;
    if (said === 'link') this.links.push(link);
    if (said === 'correction') this.corrections.push(link);
    if (said === 'conversion') this.conversions.push(value);
    if (said === 'log') this.log.push(String(message));
    if (said !== 'answer' || typeof id !== 'number') return;
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (unsupported !== undefined) waiting?.reject(new UnsupportedError(String(unsupported)));
    else if (error === undefined) waiting?.resolve(value ?? null);
    else waiting?.reject(new Error(`the client answered the error ${JSON.stringify(error)}`));
  }
}

/** Other processes of a killed group may still end. */
function removeStorage(directory: string): void {
  rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
}

function makeStorage(): string {
  return mkdtempSync(join(tmpdir(), 'throughline-phone-'));
}
