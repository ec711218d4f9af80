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

export function formatPosition({ feed, number, atMs }: Position): string {
  return `${feed}.${number}.${atMs}`;
}

/** @returns null for a text that no stream has sent. */
export function parsePosition(text: unknown): Position | null {
  const [, feed, number, atMs] = POSITION.exec(typeof text === 'string' ? text : '') ?? [];
  return feed === undefined ? null : { feed, number: Number(number), atMs: Number(atMs) };
}
