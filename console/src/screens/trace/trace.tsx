/** Why an install has its click, or none. */
import type { InstallDetails } from '@generated/types.gen.ts';
import { getRouteApi, Link } from '@tanstack/react-router';
import { CopyButton } from '../../components/copy-button.tsx';
import { Head, Section } from '../../components/page.tsx';
import { Pane } from '../../components/pane.tsx';
import { formatMoment, plural, shortId } from '../../formats.ts';
import { Aftermath } from './aftermath.tsx';
import { Neighbours } from './neighbours.tsx';
import { PassedOver } from './passed-over.tsx';
import { comparedOf, readTrace, type Trace } from './trace-types.ts';
import { useClicks, useInstall, useInstallItem } from './use-trace.ts';
import { Verdict } from './verdict.tsx';
import { type Column, walkOf } from './walk.ts';
import { WalkGrid } from './walk-grid.tsx';
import { attemptsOf } from './words.ts';

const route = getRouteApi('/$appId/installs/$installId');

export function TracePage() {
  const { installId } = route.useParams();
  const read = useInstall(installId);
  return (
    <Pane read={read} rows={14}>
      {(install) => <Explained key={install.id} install={install} />}
    </Pane>
  );
}

function Explained({ install }: { install: InstallDetails }) {
  const { appId } = route.useParams();
  const search = route.useSearch();
  const trace = readTrace(install.explanation);
  const compared = comparedOf(trace);
  const columns = compared === null ? [] : walkOf(trace, compared, install.clickId);
  const ids = new Set([
    ...(install.clickId === null ? [] : [install.clickId]),
    ...columns.flatMap(({ candidate, repeats }) => [candidate, ...repeats].map(({ clickId }) => clickId)),
    ...trace.rejections.flatMap(({ clickId }) => clickId ?? []),
  ]);
  const clicks = useClicks([...ids]);
  const item = useInstallItem(install);
  return (
    <>
      <Head
        title={`Install, ${formatMoment(install.installedAt)}`}
        above={
          <>
            <Link to="/$appId/installs" params={{ appId }} search={search} className="hover:text-ink">
              Installs and opens
            </Link>{' '}
            / <code title={install.id}>{shortId(install.id)}</code>
          </>
        }
      >
        {install.sandbox && <span className="tag">sandbox</span>}
        <Neighbours install={install} />
        <CopyButton className="btn max-phone:hidden" text={() => JSON.stringify(install, null, 2)}>
          Copy as JSON
        </CopyButton>
      </Head>
      <Verdict install={install} item={item} trace={trace} columns={columns} clicks={clicks} />
      <Order install={install} trace={trace} columns={columns} />
      {compared !== null && (
        <Section
          title={`Clicks of ${plural(columns.length, 'phone')} compared`}
          aside={
            <span className="meta">
              Read from the top: what fits moves the line right, what does not moves it left.
            </span>
          }
        >
          <WalkGrid columns={columns} compared={compared} clicks={clicks} />
        </Section>
      )}
      <PassedOver trace={trace} columns={columns} clicks={clicks} />
      <Aftermath install={install} />
    </>
  );
}

const STATES = { hit: 'text-accent', tried: '', off: 'text-ink-3' } as const;

function Order({
  install,
  trace,
  columns,
}: {
  install: InstallDetails;
  trace: Trace;
  columns: readonly Column[];
}) {
  return (
    <Section title="Tried in this order">
      <ol className="grid grid-cols-4 gap-x-4 max-phone:grid-cols-1">
        {attemptsOf(trace, install.platform).map(({ name, text, state }, index) => (
          <li
            key={name}
            className="grid content-start gap-0.5 pt-3 max-phone:border-b max-phone:border-line max-phone:py-2 max-phone:last:border-0"
          >
            <p>
              <span className="mr-2 text-ink-3">{index + 1}</span>
              <b className={STATES[state]}>{name}</b>
            </p>
            <p className={state === 'hit' ? '' : state === 'off' ? 'text-ink-3' : 'text-ink-2'}>{text}</p>
          </li>
        ))}
      </ol>
      <p className="meta max-w-[92ch] pt-3">
        {install.reason}
        {columns.some(({ creditedId }) => creditedId !== null) &&
          ' The credit goes to another click of the same phone.'}
      </p>
    </Section>
  );
}
