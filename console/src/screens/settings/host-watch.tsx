/** What the last look found of the host of the app's short links. */
import { checkHosts } from '@generated/sdk.gen.ts';
import type { Host, HostCheck } from '@generated/types.gen.ts';
import { useMay } from '../../api/app-context.ts';
import { useChange } from '../../api/use-change.ts';
import { useRefresh } from '../../api/use-read.ts';
import { FormRefusal } from '../../components/form.tsx';
import { Section } from '../../components/page.tsx';
import { Pane } from '../../components/pane.tsx';
import { Time } from '../../components/time.tsx';
import { CHECK_NAMES, useHosts } from './hosts.ts';

const STATE_NAMES: Readonly<Record<HostCheck['state'], string>> = {
  ok: 'In order',
  problem: 'Problem',
  unknown: 'Unknown',
};

export function HostWatch() {
  const read = useHosts();
  const refresh = useRefresh();
  const look = useChange<null, unknown>(
    (client) => checkHosts({ client, throwOnError: true }),
    () => refresh('hosts'),
  );
  const mayLook = useMay('editor') && read.data?.some(({ watching }) => watching === 'on');
  return (
    <Section
      title="Host of short links"
      aside={
        mayLook && (
          <button type="button" className="btn" aria-disabled={look.isRunning} onClick={() => look.run(null)}>
            {look.isRunning ? 'Looking…' : 'Look now'}
          </button>
        )
      }
    >
      <FormRefusal error={look.error} />
      <Pane read={read} rows={7}>
        {(hosts) => hosts.map((host) => <WatchedHost key={host.host} host={host} />)}
      </Pane>
    </Section>
  );
}

const NOT_WATCHED: Readonly<Record<Exclude<Host['watching'], 'on'>, string>> = {
  off: 'It is not watched: WATCH_HOSTS is 0.',
  not_public: 'It is not watched: phones open apps only from https links with a public name.',
};

function WatchedHost({ host }: { host: Host }) {
  const { watching, checks, checkedAt, nextCheckAt } = host;
  if (watching !== 'on')
    return (
      <p className="pt-3">
        <b className="break-all">{host.host}</b>. {NOT_WATCHED[watching]}
      </p>
    );
  return (
    <>
      <p className="pt-3">
        <b className="break-all">{host.host}</b>{' '}
        <span role="status" className="text-ink-2">
          {checkedAt === null ? (
            'was not looked at yet.'
          ) : (
            <>
              was looked at <Time at={checkedAt} seconds={false} />.
            </>
          )}
        </span>{' '}
        {nextCheckAt !== null && (
          <span className="text-ink-2">
            The next look is due <Time at={nextCheckAt} seconds={false} />.
          </span>
        )}
      </p>
      {checks.length > 0 && <Checks checks={checks} />}
    </>
  );
}

function Checks({ checks }: { checks: readonly HostCheck[] }) {
  return (
    <table className="table">
      <thead>
        <tr>
          <th scope="col">Check</th>
          <th scope="col">State</th>
          <th scope="col">Found</th>
          <th scope="col">Since</th>
        </tr>
      </thead>
      <tbody>
        {checks.map(({ check, state, message, mend, since, confirmed }) => (
          <tr key={check}>
            <td className="min-w-32">
              <span className="max-phone:font-semibold">{CHECK_NAMES[check]}</span>
            </td>
            <td data-name="State" className="whitespace-nowrap">
              <span className={state === 'problem' ? 'font-semibold text-bad' : ''}>
                {STATE_NAMES[state]}
              </span>
            </td>
            <td data-name="Found">
              <span className="min-w-0 wrap-anywhere">
                {message} {mend}
                {state === 'problem' && !confirmed && ' It is reported once a second look finds it, too.'}
              </span>
            </td>
            <td data-name="Since">
              <Time at={since} seconds={false} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
