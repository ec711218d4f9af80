import type { Ctx } from '../platform/ctx.ts';
import { AppError } from '../platform/errors.ts';
import type { ClickLog } from './click-log.ts';

/**
 * The click log of a process that serves one port with others: what any of them acknowledged is waited for, and it is
 * as healthy as all of them. A click that a worker left on disk when it died is waited for once its successor starts.
 */
export function withSiblings({ siblings }: Pick<Ctx, 'siblings'>, own: ClickLog): ClickLog {
  if (siblings === null) return own;
  siblings.answer('clicks', () => own.health());
  siblings.answer('applied', () =>
    own.applied().then(
      () => true,
      () => false,
    ),
  );
  return {
    ...own,
    async applied() {
      const replies = await siblings.ask('applied').catch(() => null);
      const isApplied = replies?.every((reply) =>
        reply.state === 'answered' ? reply.answer : reply.state === 'away',
      );
      if (isApplied !== true) throw new AppError('clicks.behind');
    },
    async health() {
      const replies = await siblings.ask('clicks');
      const answers = replies.flatMap((reply) => (reply.state === 'answered' ? [reply.answer] : []));
      const sumOf = (key: 'lost' | 'journalBytes' | 'damagedSegments') =>
        answers.reduce((sum, answer) => sum + answer[key], 0);
      const reason = answers.find((answer) => answer.reason !== undefined)?.reason;
      return {
        ok: answers.every(({ ok }) => ok),
        lost: sumOf('lost'),
        journalBytes: sumOf('journalBytes'),
        damagedSegments: sumOf('damagedSegments'),
        ...(reason !== undefined && { reason }),
      };
    },
  };
}
