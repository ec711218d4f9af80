/** Indented JSON on stdout. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

export interface Progress {
  report(text: string): void;
  /** Clears the line on a terminal, and cancels a pending one. */
  end(): void;
}

const BAR_WIDTH = 20;

/** Such as `[#####---------------] 25 %`. @param share 0 to 1; one outside is taken for the nearest. */
export function progressBar(share: number): string {
  const bounded = Math.min(Math.max(share, 0), 1);
  const bar = '#'.repeat(Math.floor(bounded * BAR_WIDTH)).padEnd(BAR_WIDTH, '-');
  return `[${bar}] ${Math.floor(bounded * 100)} %`;
}

const MIN_INTERVAL_MS = 3_000;

/** Reports on stderr: on a terminal by overwriting one line, otherwise as a line every three seconds at most. */
export function showProgress(): Progress {
  return process.stderr.isTTY ? overwriteLine() : writeLines();
}

/** For `--quiet`. */
export const noProgress: Progress = { report() {}, end() {} };

function overwriteLine(): Progress {
  return {
    report: (text) => process.stderr.write(`\r\x1b[2K${text.slice(0, (process.stderr.columns || 80) - 1)}`),
    end: () => process.stderr.write('\r\x1b[2K'),
  };
}

/** Texts within the interval are dropped, except the latest, which follows at its end. */
function writeLines(): Progress {
  let timer: NodeJS.Timeout | undefined;
  let pending: string | undefined;
  const report = (text: string) => {
    pending = text;
    if (timer !== undefined) return;
    process.stderr.write(`${text}\n`);
    pending = undefined;
    timer = setTimeout(() => {
      timer = undefined;
      if (pending !== undefined) report(pending);
    }, MIN_INTERVAL_MS);
  };
  return { report, end: () => clearTimeout(timer) };
}
