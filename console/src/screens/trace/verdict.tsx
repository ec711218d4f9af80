import type { Install, InstallDetails, Trace } from '@generated/types.gen.ts';
import { explainMethods } from '@service/attribution/explain-trace.ts';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Device } from '../../components/device.tsx';
import { Erased } from '../../components/erased.tsx';
import { Fact, Facts } from '../../components/facts.tsx';
import { Mark } from '../../components/mark.tsx';
import { Time } from '../../components/time.tsx';
import { ToInstall } from '../../components/to-install.tsx';
import { ToUser } from '../../components/to-user.tsx';
import {
  formatCountry,
  formatDuration,
  formatProbability,
  formatSystem,
  timeOfId,
  toPercent,
} from '../../formats.ts';
import { type Clicks, NOT_READ } from './use-trace.ts';
import { type Column, comparedOf } from './walk.ts';

const route = getRouteApi('/$appId/installs/$installId');

interface VerdictProps {
  readonly install: InstallDetails;
  readonly item: Install | null | undefined;
  readonly trace: Trace;
  readonly columns: readonly Column[];
  readonly clicks: Clicks;
}

/** The answer: a sentence, a line, and how sure it is. */
export function Verdict(props: VerdictProps) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_400px] gap-16 pt-4 max-wide:grid-cols-1 max-wide:gap-8">
      <div className="min-w-0">
        {props.item?.erasedAt != null && (
          <p className="pb-2 text-page">
            <Erased at={props.item.erasedAt} />.
          </p>
        )}
        <Sentence {...props} />
        <Story {...props} />
        <FactsOf {...props} />
      </div>
      <Sure {...props} />
    </div>
  );
}

function Sentence({ install, item, clicks }: VerdictProps) {
  const { appId } = route.useParams();
  const { clickId } = install;
  if (clickId === null)
    return (
      <>
        <p className="max-w-[40ch] text-page">
          <b>Organic.</b> No link gets this install.
        </p>
        <p className="max-w-[64ch] pt-1 text-lead">{install.reason}</p>
      </>
    );
  const clickedAt = clicks.get(clickId)?.clickedAt ?? timeOfId(clickId);
  const shortCode = clicks.get(clickId)?.shortCode ?? item?.shortCode ?? null;
  const isRead = clicks.has(clickId) && item !== undefined;
  const seconds =
    clickedAt === null ? null : (Date.parse(install.installedAt) - Date.parse(clickedAt)) / 1_000;
  return (
    <p className="min-h-14 max-w-[34ch] text-page">
      <Link to="/$appId/clicks/$id" params={{ appId, id: clickId }} className="link">
        A click
      </Link>{' '}
      on{' '}
      {shortCode === null ? (
        isRead ? (
          'a link'
        ) : (
          NOT_READ
        )
      ) : (
        <Link to="/$appId/links/$shortCode" params={{ appId, shortCode }} className="link">
          /{shortCode}
        </Link>
      )}{' '}
      brought it{seconds !== null && `, ${formatDuration(seconds, 'long')} before`}.
    </p>
  );
}

/** Click, install and first open on one line; the line is dotted where there was no click. */
function Story({ install, clicks }: VerdictProps) {
  const { clickId, opens } = install;
  const clickedAt = clickId === null ? null : (clicks.get(clickId)?.clickedAt ?? timeOfId(clickId));
  const open = opens.toSorted((a, b) => a.openedAt.localeCompare(b.openedAt))[0];
  const isAlone = clickId === null;
  return (
    <ol className="flex pt-6 pb-1">
      <Station
        kind="click"
        name={isAlone ? 'Click?' : 'Click'}
        isMuted={isAlone}
        line={isAlone ? 'dotted' : 'solid'}
      >
        {clickedAt !== null && <Time at={clickedAt} isToday />}
      </Station>
      <Station kind="install" name="Install" line={open === undefined ? 'none' : 'solid'}>
        <Time at={install.installedAt} isToday />
      </Station>
      {open !== undefined && (
        <Station kind="open" name="Open" line="none">
          <Time at={open.openedAt} />
        </Station>
      )}
    </ol>
  );
}

const LINES = {
  solid: 'border-t-2 border-accent',
  dotted: 'border-t-2 border-dotted border-mute',
  none: 'invisible',
};

function Station({
  kind,
  name,
  line,
  isMuted = false,
  children,
}: {
  kind: 'click' | 'install' | 'open';
  name: string;
  line: keyof typeof LINES;
  isMuted?: boolean;
  children: ReactNode;
}) {
  return (
    <li className={`min-w-0 ${line === 'none' ? 'flex-none' : 'max-w-50 flex-1'}`}>
      <span
        aria-hidden="true"
        className={`flex items-center gap-1 pr-1 ${isMuted ? 'text-mute' : 'text-accent'}`}
      >
        <Mark kind={kind} />
        <span className={`flex-1 ${LINES[line]}`} />
      </span>
      <p className="pt-2">{name}</p>
      <p className="meta">{children}</p>
    </li>
  );
}

function FactsOf({ install, item }: VerdictProps) {
  const { appId } = route.useParams();
  const { campaignId, userId, sandbox } = install;
  return (
    <Facts>
      <Fact name="Campaign">
        {campaignId === null ? (
          'None'
        ) : (
          <Link to="/$appId" params={{ appId }} search={{ campaignId }} className="link">
            {campaignId}
          </Link>
        )}
      </Fact>
      {install.invitedBy !== null && (
        <Fact name="Invited by">
          <ToInstall installId={install.invitedBy} />
        </Fact>
      )}
      <Fact name="Country">{item === undefined ? NOT_READ : formatCountry(item?.country ?? null)}</Fact>
      {item?.erasedAt == null && <Phone item={item} />}
      {userId !== null && (
        <Fact name="User">
          <ToUser userId={userId} isSandbox={sandbox} />
        </Fact>
      )}
    </Facts>
  );
}

function Phone({ item }: { item: Install | null | undefined }) {
  const none = item === undefined ? NOT_READ : 'Not told';
  if (item == null)
    return ['Phone', 'System', 'App'].map((name) => (
      <Fact key={name} name={name}>
        {none}
      </Fact>
    ));
  const { platform, deviceName, deviceModel, osVersion, locale, appVersion } = item;
  return (
    <>
      <Fact name="Phone">
        {deviceModel === null ? 'Not told' : <Device name={deviceName} model={deviceModel} />}
      </Fact>
      <Fact name="System">{formatSystem(platform, osVersion)}</Fact>
      <Fact name="App">{appVersion ?? 'Not told'}</Fact>
      {locale !== null && <Fact name="Language">{locale}</Fact>}
    </>
  );
}

function Sure({ install, trace, columns }: VerdictProps) {
  const compared = comparedOf(trace);
  const best = columns.find(({ isWon }) => isWon) ?? columns[0];
  if (install.method === 'INSTALL_REFERRER' || install.method === 'CLICK_ID')
    return (
      <div>
        <p className="text-answer font-semibold tracking-[-.03em]">Certain</p>
        <p className="pt-3 text-ink-2">{explainMethods(trace, 'install')[install.method]}</p>
      </div>
    );
  if (compared === null || best === undefined || best.candidate.probability === 0) return null;
  const { probability } = best.candidate;
  const others = columns.filter((column) => column !== best).map(({ candidate }) => candidate.probability);
  const isMatched = install.method === 'FINGERPRINT';
  return (
    <div className="max-w-[520px]">
      <p className="pb-3.5 text-lead text-ink-2">
        <span className="mr-2 text-answer font-semibold tracking-[-.03em] text-ink">
          {formatProbability(probability)}
        </span>
        {isMatched ? 'sure' : 'at best, so organic'}
      </p>
      <Hundred best={probability} others={others} threshold={compared.threshold} />
      <p className="text-ink-2">{frequencyText(probability, others, isMatched)}</p>
    </div>
  );
}

function frequencyText(best: number, others: readonly number[], isMatched: boolean): string {
  const count = Math.floor(toPercent(best));
  const second = Math.floor(toPercent(others[0] ?? 0));
  if (isMatched)
    return `Of 100 installs that look like this one, ${count} come from this click and ${100 - count} from another click or from none.`;
  const between = second > 0 ? `, ${second} from click B` : '';
  return `Of 100 installs that look like this one, ${count} come from click A${between} and ${Math.max(0, 100 - count - second)} from other clicks or from none. A match would be wrong too often.`;
}

/** The result as a frequency: outcomes differ in height, not in colour alone. */
function Hundred({
  best,
  others,
  threshold,
}: {
  best: number;
  others: readonly number[];
  threshold: number;
}) {
  const first = Math.floor(toPercent(best));
  const second = Math.min(100 - first, Math.floor(toPercent(others.reduce((sum, each) => sum + each, 0))));
  const enough = toPercent(threshold);
  return (
    <div
      role="img"
      aria-label={`${first} of 100. From ${enough} on it counts as a match.`}
      className="relative mb-8 grid h-7 max-w-[399px] grid-cols-[repeat(100,minmax(0,1fr))] gap-px"
    >
      {Array.from({ length: 100 }, (_, index) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: the hundred are all alike
          key={index}
          className={`self-end ${index < first ? 'h-full bg-accent' : index < first + second ? 'h-2/3 bg-ink-3' : 'h-1/3 bg-mute'}`}
        />
      ))}
      <span className="absolute -top-1.5 -bottom-2 border-l-2 border-ink" style={{ left: `${enough}%` }}>
        <span className="absolute top-full -left-0.5 pt-0.5 text-meta whitespace-nowrap text-ink-2">
          enough from {enough}
        </span>
      </span>
    </div>
  );
}
