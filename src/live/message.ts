/** A place in the records of an app as one process read them; the `id` of each message of a stream. */
export interface Position {
  /** The feed that numbered the records: only its own numbers tell what was sent. */
  readonly feed: string;
  readonly number: number;
  /** Time of recording there, in milliseconds since the epoch; for other feeds. */
  readonly atMs: number;
}

export function positionOf({ number, at }: { number: number; at: string }, feed: string): Position {
  return { feed, number, atMs: Date.parse(at) };
}

const POSITION = /^([\w-]{1,20})\.(\d{1,15})\.(\d{1,15})$/;

function formatPosition({ feed, number, atMs }: Position): string {
  return `${feed}.${number}.${atMs}`;
}

/** @returns null for a text that no stream has sent. */
export function parsePosition(text: unknown): Position | null {
  const [, feed, number, atMs] = POSITION.exec(typeof text === 'string' ? text : '') ?? [];
  return feed === undefined ? null : { feed, number: Number(number), atMs: Number(atMs) };
}

interface Message {
  /** Browsers dispatch a message without a name to `onmessage`. */
  readonly event?: 'heartbeat' | 'lost';
  readonly position: Position;
  readonly data: object;
}

/** A message as the HTML standard defines it; JSON has no line breaks. */
export function toMessage({ event, position, data }: Message): string {
  const name = event === undefined ? '' : `event: ${event}\n`;
  return `${name}id: ${formatPosition(position)}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** How long a client waits before it connects again. */
export function toRetry(ms: number): string {
  return `retry: ${ms}\n\n`;
}
