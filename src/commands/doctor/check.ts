import { isDamage } from '../../db/index.ts';

/** `unknown`: what a check needs does not answer, such as a service that is stopped or a network that is away. */
export type Status = 'ok' | 'warning' | 'fault' | 'unknown';

/** The result of a check. Texts hold no secret. */
export interface Finding {
  /** Of the check, such as `disk.free`. */
  readonly check: string;
  readonly status: Status;
  readonly text: string;
  /** What to do; null for what is in order or unknown. */
  readonly mend: string | null;
}

export function ok(check: string, text: string): Finding {
  return { check, status: 'ok', text, mend: null };
}

export function unknown(check: string, text: string): Finding {
  return { check, status: 'unknown', text, mend: null };
}

export function warning(check: string, text: string, mend: string): Finding {
  return { check, status: 'warning', text, mend };
}

export function fault(check: string, text: string, mend: string): Finding {
  return { check, status: 'fault', text, mend };
}

/** A check that cannot be made is unknown. @throws of a damaged database, which is a fault. */
export async function attempt(
  check: string,
  make: () => Promise<Finding | readonly Finding[]> | Finding | readonly Finding[],
): Promise<readonly Finding[]> {
  try {
    return [await make()].flat();
  } catch (error) {
    if (isDamage(error)) throw error;
    return [unknown(check, reasonOf(error))];
  }
}

/** Without the stack; the cause of a failed request rather than “fetch failed”. */
export function reasonOf(error: unknown): string {
  const { cause, message } = error as Error;
  const text = cause instanceof Error && cause.message !== '' ? cause.message : message;
  const code = (cause as NodeJS.ErrnoException | undefined)?.code ?? (error as NodeJS.ErrnoException).code;
  return text === '' ? String(code ?? 'no answer') : text.split('\n', 1).join('');
}

/** As `1.2 GB`. */
export function sizeOf(bytes: number): string {
  const gigabytes = bytes / 1e9;
  return gigabytes >= 1 ? `${gigabytes.toFixed(1)} GB` : `${Math.round(bytes / 1e6)} MB`;
}
