import { grouped } from '../export/progress.ts';
import { progressBar } from '../output.ts';

const MINUTE_SECONDS = 60;

/** @param done links that are compared, of `total`; `before` of them in earlier runs. */
export function describeProgress({
  done,
  total,
  before,
  unequal,
  seconds,
}: {
  done: number;
  total: number;
  before: number;
  unequal: number;
  seconds: number;
}): string {
  const rest = done === before ? '' : `, ${describeRest(((total - done) * seconds) / (done - before))} left`;
  return `${progressBar(done / total)}, ${grouped(done)} of ${grouped(total)} links, ${grouped(unequal)} not equal${rest}`;
}

function describeRest(seconds: number): string {
  if (seconds < MINUTE_SECONDS) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / MINUTE_SECONDS);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
