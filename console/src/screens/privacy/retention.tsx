import { readRetentionDays } from '@generated/sdk.gen.ts';
import { useRead } from '../../api/use-read.ts';
import { Fact, Facts } from '../../components/facts.tsx';
import { Section } from '../../components/page.tsx';
import { Pane } from '../../components/pane.tsx';
import { plural } from '../../formats.ts';
import { KINDS } from './person.ts';

/** How long the service keeps records of each kind. */
export function Retention() {
  const read = useRead(['retention-days'], (client, signal) =>
    readRetentionDays({ client, signal, throwOnError: true }),
  );
  return (
    <Section title="How long records are kept">
      <Pane read={read} rows={1}>
        {(days) => (
          <Facts>
            {KINDS.map(([kind, , name]) =>
              // The operator does not set this one.
              kind === 'waitingPurchases' ? null : (
                <Fact key={kind} name={name}>
                  {days[kind] === null ? 'Until erased' : plural(days[kind], 'day')}
                </Fact>
              ),
            )}
          </Facts>
        )}
      </Pane>
      <p className="meta max-w-[64ch] pt-3">
        The operator sets this for the whole service. Statistics are kept for good and say nothing of a
        person.
      </p>
    </Section>
  );
}
