/**
 * Runs commands of the program one after another in one process: a start of the program takes a second, nearly all of
 * it to load the same files. Forked by `callCommand`.
 */
const MAIN = new URL('../../src/main.ts', import.meta.url).href;

export interface Call {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

class Exit extends Error {
  readonly code: number;
  constructor(code: number) {
    super(`exit with code ${code}`);
    this.code = code;
  }
}

const written = { stdout: '', stderr: '' };
for (const name of ['stdout', 'stderr'] as const) {
  process[name].setMaxListeners(0);
  process[name].write = ((piece: string | Uint8Array, done?: () => void) => {
    written[name] += Buffer.from(piece as Uint8Array).toString();
    done?.();
    return true;
  }) as typeof process.stdout.write;
}
process.exit = (code) => {
  throw new Exit(Number(code ?? 0));
};

let calls = 0;

/** Each import with another query runs `main.ts` again; its imports are loaded. */
async function run({ args, env, cwd }: Call): Promise<Outcome> {
  process.env = { ...env };
  process.argv = [...process.argv.slice(0, 2), ...args];
  process.chdir(cwd);
  Object.assign(written, { stdout: '', stderr: '' });
  calls += 1;
  process.exitCode = undefined;
  let code: number | undefined;
  try {
    await import(`${MAIN}?${calls}`);
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
    code = error.code;
  }
  return { code: code ?? Number(process.exitCode ?? 0), ...written };
}

process.on('message', (call: Call) => {
  void run(call).then((outcome) => process.send?.(outcome));
});
process.on('disconnect', () => process.kill(process.pid));
