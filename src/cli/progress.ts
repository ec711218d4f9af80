/** How far something has come, for whoever waits for it. */
export interface Progress {
  say(text: string): void;
  /** Takes the line away, where it is one that is written over. */
  end(): void;
}

const SAY_EVERY_MS = 3_000;

/** On stderr: a line that is written over on a terminal, anywhere else a line every so often. */
export function showProgress(): Progress {
  return process.stderr.isTTY ? oneLine() : someLines();
}

/** For `--quiet`. */
export const noProgress: Progress = { say() {}, end() {} };

function oneLine(): Progress {
  return {
    say: (text) => process.stderr.write(`\r\x1b[2K${text.slice(0, (process.stderr.columns || 80) - 1)}`),
    end: () => process.stderr.write('\r\x1b[2K'),
  };
}

/** Of what comes too soon after a line, the latest follows later. */
function someLines(): Progress {
  let timer: NodeJS.Timeout | undefined;
  let waiting: string | undefined;
  const say = (text: string) => {
    waiting = text;
    if (timer !== undefined) return;
    process.stderr.write(`${text}\n`);
    waiting = undefined;
    timer = setTimeout(() => {
      timer = undefined;
      if (waiting !== undefined) say(waiting);
    }, SAY_EVERY_MS);
  };
  return { say, end: () => clearTimeout(timer) };
}
