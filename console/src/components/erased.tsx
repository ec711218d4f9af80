import { formatLongDay } from '../formats.ts';

/** In place of what is not known any more. */
export function Erased({ at }: { at: string }) {
  return <span className="text-ink-3">Erased on {formatLongDay(at)} at the person’s request</span>;
}
