import type { ReactNode } from 'react';
import type { Meaning } from './take-apart.ts';

type Address = Extract<Meaning, { kind: 'address' }>;

const FIELDS = [
  ['deepLinkPath', 'Path in the app'],
  ['deepLinkParams', 'Parameters for the app'],
  ['iosDestination', 'iPhones and iPads'],
  ['androidDestination', 'Android phones'],
  ['fallbackUrl', 'Everybody else'],
  ['campaignId', 'Campaign'],
] as const;

/** What an address was taken apart into, and what was left out. */
export function Understood({ meaning: { taken, utm, notes } }: { meaning: Address }) {
  return (
    <>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 py-1 max-phone:grid-cols-1 max-phone:gap-y-0">
        {FIELDS.map(([name, label]) => (
          <Row key={name} name={label}>
            {name === 'deepLinkParams' ? oneLine(taken.deepLinkParams) : taken[name]}
          </Row>
        ))}
        {utm.length > 0 && (
          <Row name="UTM, in the address">{utm.map(([name, value]) => `${name} = ${value}`).join(', ')}</Row>
        )}
      </dl>
      {notes.map((note) => (
        <p key={note}>{note}</p>
      ))}
    </>
  );
}

function Row({ name, children }: { name: string; children: ReactNode }) {
  if (children === undefined) return null;
  return (
    <>
      <dt className="text-ink-2">{name}</dt>
      <dd className="mono min-w-0 [overflow-wrap:anywhere]">{children}</dd>
    </>
  );
}

function oneLine(json: string | undefined): string | undefined {
  return json?.replaceAll(/\s*\n\s*/g, ' ');
}
