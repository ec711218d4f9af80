import { formatPosition, type Position } from './position.ts';

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
