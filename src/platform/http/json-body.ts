import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';

const MAX_DEPTH = 64;
/** Many times what a full batch of events holds: looking at more would keep everybody else waiting. */
const MAX_VALUES = 100_000;

/**
 * Parses a JSON body and refuses what no field may hold: deep nesting, more than 100,000 values, NUL characters (PostgreSQL cannot store them),
 * halves of surrogate pairs (no UTF-8 form), numbers too large to come back as they are, and keys named `__proto__`. An empty body is `undefined`.
 */
export function parseJsonBody(
  _request: FastifyRequest,
  body: Buffer,
  done: (error: Error | null, body?: unknown) => void,
): void {
  try {
    done(null, body.length === 0 ? undefined : parseJson(body));
  } catch (error) {
    done(error as Error);
  }
}

/** The same of any bytes. @throws AppError that says what is wrong with them. */
export function parseJson(body: Buffer): unknown {
  if (!isUtf8(body)) throw new AppError('request.invalid_json');
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    throw new AppError('request.invalid_json');
  }
  checkJson(value);
  return value;
}

interface Container {
  readonly value: object;
  readonly depth: number;
  readonly field: string;
}

/** Walks without recursion: the depth is the sender's choice, the stack is ours. Only what holds more is kept waiting. */
function checkJson(root: unknown): void {
  const waiting: Container[] = [];
  let values = 0;
  const count = (more: number) => {
    values += more;
    if (values > MAX_VALUES)
      throw new AppError('request.invalid', { message: 'The body holds more than 100,000 values.' });
  };
  checkValue(root, 0, 'The body', waiting);
  for (let container = waiting.pop(); container !== undefined; container = waiting.pop()) {
    const { value, depth, field } = container;
    if (Array.isArray(value)) {
      count(value.length);
      for (const element of value) checkValue(element, depth + 1, field, waiting);
      continue;
    }
    const entries = Object.entries(value);
    count(entries.length);
    for (const [key, child] of entries) {
      checkText(key, field);
      if (key === '__proto__')
        throw new AppError('request.invalid', { message: 'No field may be named __proto__.' });
      checkValue(child, depth + 1, depth === 0 ? key : `${field}.${key}`, waiting);
    }
  }
}

function checkValue(value: unknown, depth: number, field: string, waiting: Container[]): void {
  if (typeof value === 'string') checkText(value, field);
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new AppError('request.invalid', { message: `${field} holds a number that is too large.` });
  if (typeof value !== 'object' || value === null) return;
  if (depth === MAX_DEPTH) throw new AppError('request.too_deep');
  if (Object.keys(value).length > 0) waiting.push({ value, depth, field });
}

/** @throws AppError that names the field, when `text` cannot be stored as it is. */
export function checkText(text: string, field: string): void {
  if (!isStorableText(text))
    throw new AppError('request.invalid_text', {
      message: `${field} holds a NUL character or half of a surrogate pair. Remove it and send again.`,
    });
}

export function isStorableText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
