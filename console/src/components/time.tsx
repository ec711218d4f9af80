import { formatMoment, formatTime, formatUtc } from '../formats.ts';

/** A moment in the viewer's zone; UTC on hover. */
export function Time({
  at,
  isToday = false,
  seconds = true,
}: {
  at: string;
  isToday?: boolean;
  seconds?: boolean;
}) {
  return (
    <time dateTime={at} title={formatUtc(at)} className="whitespace-nowrap">
      {isToday ? formatTime(at) : formatMoment(at, { seconds })}
    </time>
  );
}
