import pino from 'pino';
import { AppError } from '../errors.ts';
import { Conditions, type Line } from './conditions.ts';

/**
 * Structured log lines. No line carries an IP address, a user ID or a key. A warning or an error that repeats is one line
 * when it begins, a count each minute and a line when it is over. `condition` in a line names a known condition, shown
 * without a stack, wherever it is noticed; `over` in a warning names the condition that has ended.
 */
export type Log = pino.Logger & {
  /** Warnings and errors that repeat now, by the name of their condition. */
  readonly openConditions?: () => ReadonlyMap<string, number>;
};

/** What an error reports, known well enough to need no stack. */
export interface KnownCondition {
  readonly condition: string;
  /** In place of the line's own text. */
  readonly text: string;
}

interface LogOptions {
  /** Standard output for the service, standard error for a command, whose result goes to standard output. */
  readonly to?: 'stdout' | 'stderr' | { write(line: string): void };
  readonly conditionOf?: (error: unknown) => KnownCondition | null;
}

type Fields = Readonly<Record<string, unknown>>;

/** Lines are dropped beyond this, in characters. */
const MAX_UNREAD = 1_000_000;
const { warn: WARN, fatal: FATAL } = pino.levels.values as { warn: number; fatal: number };

export function createLog(level: string, { to = 'stdout', conditionOf }: LogOptions = {}): Log {
  const conditions = new Conditions();
  const options: pino.LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: describeError },
    hooks: {
      logMethod(args, method, lineLevel) {
        const write = (fields: Fields, text: string) => method.call(this, fields, text);
        if (lineLevel < WARN || lineLevel >= FATAL) method.apply(this, args);
        else noteLine(conditions, { args, level: lineLevel, write, conditionOf });
      },
    },
  };
  const log = pino(options, typeof to === 'string' ? standardStream(to) : to);
  return Object.assign(log, { openConditions: () => conditions.open(isNamed) });
}

/** Not pino's own destination: on a full disk it retries for ever at exit. */
function standardStream(name: 'stdout' | 'stderr'): { write(line: string): void } {
  const stream = process[name];
  return {
    write(line) {
      if (stream.writableLength < MAX_UNREAD) stream.write(line);
    },
  };
}

interface NotedLine extends Pick<LogOptions, 'conditionOf'> {
  readonly args: readonly unknown[];
  readonly level: number;
  readonly write: (fields: Fields, text: string) => void;
}

function noteLine(conditions: Conditions, { args, level, write, conditionOf }: NotedLine): void {
  const [{ over, condition, ...fields }, text] = split(args);
  const known = condition === undefined ? (conditionOf?.(fields.err) ?? null) : null;
  const name = known?.condition ?? condition ?? over;
  const shown = name === undefined ? fields : { condition: name, ...withoutStack(fields) };
  const line: Line = {
    text: known?.text ?? text,
    write: (added, shownText) => write({ ...shown, ...(known && { first: text }), ...added }, shownText),
  };
  if (typeof over === 'string') conditions.end(over, line);
  else {
    const coarse = `${level} ${line.text}`;
    conditions.note(String(name ?? keyOf(coarse, fields)), coarse, line);
  }
}

function split(args: readonly unknown[]): [Fields, string] {
  const [first, second] = args;
  return typeof first === 'object' && first !== null
    ? [first as Fields, String(second ?? '')]
    : [{}, String(first)];
}

/** The code and the message tell enough of a known condition. A request's ID would name one of thousands. */
function withoutStack({ err, requestId: _id, ...fields }: Fields): Fields {
  if (err === undefined) return fields;
  const { message, code } = rootOf(err) as { message?: unknown; code?: unknown };
  return { ...fields, reason: message, ...(code !== undefined && { code }) };
}

function rootOf(error: unknown): unknown {
  if (error instanceof AggregateError && error.errors.length > 0) return rootOf(error.errors[0]);
  return error instanceof Error && error.cause instanceof Error ? rootOf(error.cause) : (error ?? {});
}

const MAX_MESSAGE_CHARACTERS = 100;

/** Names of conditions are few. The key of another line begins with its level. */
function isNamed(key: string): boolean {
  return !/^\d/.test(key);
}

/** Lines repeat if they agree in all but numbers, the request and the stack. */
function keyOf(coarse: string, { err, requestId: _id, ...fields }: Fields): string {
  const texts = Object.values(fields).filter((value) => typeof value === 'string');
  const { name, code, message } = rootOf(err) as { name?: unknown; code?: unknown; message?: unknown };
  const cause = String(message ?? '').slice(0, MAX_MESSAGE_CHARACTERS);
  return [coarse, ...texts, name, code, cause.replaceAll(/\d+/g, '0')].join('\n');
}

/** Leaves out other fields: a database error carries the row and the parameters, which may be personal data. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, cause } = error;
  const { code } = error as { code?: unknown };
  // The stack of an expected error leads to the code that refuses, which its code names.
  const shown = error instanceof AppError ? { name, message, code } : { name, message, stack, code };
  return { ...shown, ...(cause !== undefined && { cause: describeError(cause) }) };
}
