import type { Trace } from '@generated/types.gen.ts';
import { explainRejection } from '@service/attribution/explain-trace.ts';
import { Section } from '../../components/page.tsx';
import { Time } from '../../components/time.tsx';
import { formatCount, plural, timeOfId } from '../../formats.ts';
import type { Clicks } from './use-trace.ts';
import type { Column } from './walk.ts';

/** Clicks that could not be it, whatever their phone: never compared. */
export function PassedOver({
  trace,
  columns,
  clicks,
}: {
  trace: Trace;
  columns: readonly Column[];
  clicks: Clicks;
}) {
  const compared = new Set(
    columns.flatMap(({ candidate, repeats }) => [candidate, ...repeats].map(({ clickId }) => clickId)),
  );
  const rejections = trace.rejections.filter(({ clickId }) => clickId === null || !compared.has(clickId));
  if (rejections.length === 0) return null;
  const left = trace.rejected - trace.rejections.length;
  return (
    <Section
      title={
        <h2>
          Passed over before comparing{' '}
          <span className="meta ml-2 font-normal">{plural(rejections.length + left, 'click')}</span>
        </h2>
      }
    >
      <table className="table">
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">Link</th>
            <th scope="col">Why not</th>
            <th scope="col" className="num">
              Code
            </th>
          </tr>
        </thead>
        <tbody>
          {rejections.map((rejection, index) => {
            const { clickId } = rejection;
            const at = clickId === null ? null : timeOfId(clickId);
            const shortCode = clickId === null ? null : clicks.get(clickId)?.shortCode;
            return (
              <tr key={clickId ?? index}>
                <td data-name="When">{at === null ? 'Not known' : <Time at={at} />}</td>
                <td data-name="Link" className="mono">
                  {shortCode == null ? '' : `/${shortCode}`}
                </td>
                <td data-name="Why not">{explainRejection(rejection, trace, 'install')}</td>
                <td data-name="Code" className="num mono text-ink-2">
                  {rejection.reason}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {left > 0 && <p className="meta pt-2">{formatCount(left)} more are not kept one by one.</p>}
    </Section>
  );
}
