/** The parts of the page of one record. */
import type { Open } from '@generated/types.gen.ts';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { CopyButton } from '../../components/copy-button.tsx';
import { Device } from '../../components/device.tsx';
import { Erased } from '../../components/erased.tsx';
import { Fact } from '../../components/facts.tsx';
import { Mark } from '../../components/mark.tsx';
import { Head, Section } from '../../components/page.tsx';
import { formatCountry, formatFullMoment, formatSystem, PLATFORMS, shortId } from '../../formats.ts';

interface Common {
  readonly id: string;
  readonly shortCode: string | null;
  readonly campaignId: string | null;
  readonly platform: 'IOS' | 'ANDROID' | null;
  readonly country: string | null;
  readonly sandbox: boolean;
  readonly erasedAt: string | null;
}

const NAMES = { click: 'Click', open: 'Open', event: 'Event' } as const;
const LISTS = { click: 'Clicks', open: 'Installs and opens', event: 'Events' } as const;

export function Page({
  kind,
  at,
  record,
  children,
}: {
  kind: keyof typeof NAMES;
  at: string;
  record: Common;
  children: ReactNode;
}) {
  const { appId } = useParams({ from: '/$appId' });
  const { id, sandbox, erasedAt } = record;
  return (
    <>
      <Head
        title={`${NAMES[kind]}, ${formatFullMoment(at)}`}
        above={
          <>
            <Link to={`/$appId/${kind}s`} params={{ appId }} className="hover:text-ink">
              {LISTS[kind]}
            </Link>{' '}
            / <code title={id}>{shortId(id)}</code>
          </>
        }
      >
        <span className="text-accent">
          <Mark kind={kind} />
        </span>
        {sandbox && <span className="tag">sandbox</span>}
        <CopyButton className="btn ml-auto max-phone:ml-0" text={() => JSON.stringify(record, null, 2)}>
          Copy as JSON
        </CopyButton>
      </Head>
      {erasedAt !== null && (
        <p className="pt-4 text-page">
          <Erased at={erasedAt} />.
        </p>
      )}
      {children}
    </>
  );
}

/** Of which link, campaign, platform and country. */
export function Came({ record: { shortCode, campaignId, platform, country } }: { record: Common }) {
  const { appId } = useParams({ from: '/$appId' });
  return (
    <>
      {shortCode === null ? <Fact name="Link">None</Fact> : <ToLink name="Link" shortCode={shortCode} />}
      <Fact name="Campaign">
        {campaignId === null ? (
          'None'
        ) : (
          <Link to="/$appId" params={{ appId }} search={{ campaignId }} className="link">
            {campaignId}
          </Link>
        )}
      </Fact>
      <Fact name="Platform">{platform === null ? 'Another device' : PLATFORMS[platform]}</Fact>
      <Fact name="Country">{formatCountry(country)}</Fact>
    </>
  );
}

export function Phone({ record }: { record: Open }) {
  const { platform, deviceName, deviceModel, osVersion, locale, appVersion } = record;
  return (
    <>
      <Fact name="Device">
        {deviceModel === null ? 'Not told' : <Device name={deviceName} model={deviceModel} />}
      </Fact>
      {osVersion !== null && <Fact name="System">{formatSystem(platform, osVersion)}</Fact>}
      {locale !== null && <Fact name="Language">{locale}</Fact>}
      {appVersion !== null && <Fact name="App">{appVersion}</Fact>}
    </>
  );
}

export function ToLink({ name, shortCode }: { name: string; shortCode: string }) {
  const { appId } = useParams({ from: '/$appId' });
  return (
    <Fact name={name}>
      <Link to="/$appId/links/$shortCode" params={{ appId, shortCode }} className="link mono">
        /{shortCode}
      </Link>
    </Fact>
  );
}

export function ToClick({ clickId }: { clickId: string }) {
  const { appId } = useParams({ from: '/$appId' });
  return (
    <Fact name="Click">
      <Link to="/$appId/clicks/$id" params={{ appId, id: clickId }} className="link mono">
        {shortId(clickId)}
      </Link>
    </Fact>
  );
}

export function Values({ title, values }: { title: string; values: Readonly<Record<string, unknown>> }) {
  const entries = Object.entries(values);
  if (entries.length === 0) return null;
  return (
    <Section title={title}>
      <dl>
        {entries.map(([name, value]) => (
          <div
            key={name}
            className="grid grid-cols-[minmax(0,1fr)_minmax(0,3fr)] gap-x-4 border-b border-line py-1.5 max-phone:grid-cols-1"
          >
            <dt className="break-words text-ink-2">{name}</dt>
            <dd className="mono break-words">{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}
