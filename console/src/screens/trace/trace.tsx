/** Why an install has its click, or none. */
import type { InstallDetails, Trace } from '@generated/types.gen.ts';
import { explainMethods } from '@service/attribution/explain-trace.ts';
import { getRouteApi, Link } from '@tanstack/react-router';
import { CopyButton } from '../../components/copy-button.tsx';
import { Head, Section } from '../../components/page.tsx';
import { Pane } from '../../components/pane.tsx';
import { formatFullMoment, plural, shortId } from '../../formats.ts';
import { Aftermath } from './aftermath.tsx';
import { Invited } from './invited.tsx';
import { Neighbours } from './neighbours.tsx';
import { Networks } from './networks.tsx';
import { PassedOver } from './passed-over.tsx';
import { useClicks, useInstall, useInstallItem } from './use-trace.ts';
import { Verdict } from './verdict.tsx';
import { type Column, comparedOf, walkOf } from './walk.ts';
import { WalkGrid } from './walk-grid.tsx';

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
  const trace = install.explanation;
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
        title={`Install, ${formatFullMoment(install.installedAt)}`}
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
      <Order trace={trace} columns={columns} />
      <Networks install={install} />
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
      <Invited install={install} />
    </>
  );
}

const ATTEMPTS = [
  ['INSTALL_REFERRER', 'Install referrer'],
  ['CLICK_ID', 'Click ID'],
  ['FINGERPRINT', 'Fingerprint'],
  ['ORGANIC', 'Organic'],
] as const;
const COLOURS = { hit: ['text-accent', ''], tried: ['', 'text-ink-2'], off: ['text-ink-3', 'text-ink-3'] };

function Order({ trace, columns }: { trace: Trace; columns: readonly Column[] }) {
  const texts = {
    ...explainMethods(trace, 'install'),
    ORGANIC: trace.method === 'ORGANIC' ? 'Better no link than the wrong one.' : null,
  };
  return (
    <Section title="Tried in this order">
      <ol className="grid grid-cols-[1fr_1fr_2fr_1fr] gap-x-4 max-phone:grid-cols-1">
        {ATTEMPTS.map(([method, name], index) => {
          const text = texts[method];
          const [nameColour, textColour] =
            COLOURS[method === trace.method ? 'hit' : text === null ? 'off' : 'tried'];
          return (
            <li
              key={name}
              className="grid content-start gap-0.5 pt-3 max-phone:border-b max-phone:border-line max-phone:py-2 max-phone:last:border-0"
            >
              <p>
                <span className="mr-2 text-ink-3">{index + 1}</span>
                <b className={nameColour}>{name}</b>
              </p>
              <p className={textColour}>{text ?? 'Not needed.'}</p>
            </li>
          );
        })}
      </ol>
      {columns.some(({ creditedId }) => creditedId !== null) && (
        <p className="meta max-w-[92ch] pt-3">The credit goes to another click of the same phone.</p>
      )}
    </Section>
  );
}
