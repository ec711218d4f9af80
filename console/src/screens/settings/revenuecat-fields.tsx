import { readRevenueCat } from '@generated/sdk.gen.ts';
import type { App, RevenueCatStatus } from '@generated/types.gen.ts';
import { useRef } from 'react';
import { useRead } from '../../api/use-read.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { Fact, Facts } from '../../components/facts.tsx';
import { Check, Field } from '../../components/field.tsx';
import { Pane } from '../../components/pane.tsx';
import { Time } from '../../components/time.tsx';
import { formatCount } from '../../formats.ts';
import { Group } from './group.tsx';

const SECRET_BYTES = 32;

/** What RevenueCat tells of purchases. */
export function RevenueCatFields({ app }: { app: App }) {
  const read = useRead(['revenuecat'], (client, signal) =>
    readRevenueCat({ client, signal, throwOnError: true }),
  );
  return (
    <Group title="RevenueCat">
      <p className="meta col-span-full">
        Purchases, renewals and refunds that RevenueCat sends become events of the install. In RevenueCat,
        under Integrations, Webhooks, set this address and the Authorization value.
      </p>
      <div className="col-span-full">
        <Pane read={read} rows={4}>
          {(status) => <Status status={status} />}
        </Pane>
      </div>
      <Authorization isOn={app.revenuecatEnabled} />
    </Group>
  );
}

function Authorization({ isOn }: { isOn: boolean }) {
  const place = useRef<HTMLDivElement>(null);
  const input = () => place.current?.querySelector('input') ?? null;
  const generate = () => {
    const field = input();
    if (field === null) return;
    field.value = makeSecret();
    // So that the form knows of the edit.
    field.dispatchEvent(new Event('input', { bubbles: true }));
  };
  return (
    <>
      <div ref={place}>
        <Field
          label="Authorization value"
          name="revenuecatAuthorization"
          isMono
          autoComplete="off"
          spellCheck={false}
          maxLength={255}
          help={
            isOn
              ? 'One is set, and is never shown. Type or generate another to replace it.'
              : 'None is set, and all events are refused. At least 24 characters; copy it before you save: it is never shown.'
          }
        />
        <div className="flex gap-2 pt-2">
          <button type="button" className="btn" onClick={generate}>
            Generate
          </button>
          <CopyButton text={() => input()?.value ?? ''}>Copy the value</CopyButton>
        </div>
      </div>
      {isOn && (
        <div className="pt-7 max-phone:pt-0">
          <Check
            label="Remove the value"
            name="revenuecatOff"
            help="RevenueCat’s events are then refused. What was recorded stays."
          />
        </div>
      )}
    </>
  );
}

function Status({ status: { address, lastReceivedAt, kinds, waiting } }: { status: RevenueCatStatus }) {
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <code className="break-all">{address}</code>
        <CopyButton text={address}>Copy the address</CopyButton>
      </p>
      <Facts>
        <Fact name="Last received">
          {lastReceivedAt === null ? 'Nothing yet' : <Time at={lastReceivedAt} />}
        </Fact>
        <Fact name="Wait for an unknown user">
          {waiting.oldestAt === null ? (
            'None'
          ) : (
            <>
              {formatCount(waiting.events)}, the oldest since <Time at={waiting.oldestAt} />
            </>
          )}
        </Fact>
      </Facts>
      {kinds.length > 0 && (
        <div className="overflow-x-auto pt-4">
          <table className="table">
            <caption className="sr-only">Received from RevenueCat</caption>
            <thead>
              <tr>
                <th scope="col">Kind</th>
                <th scope="col">Received</th>
                <th scope="col">Dropped</th>
                <th scope="col">Last</th>
              </tr>
            </thead>
            <tbody>
              {kinds.map(({ kind, isKnown, received, dropped, lastReceivedAt: at }) => (
                <tr key={kind}>
                  <td className="mono break-all">
                    {kind}
                    {!isKnown && <span className="meta"> (only counted: unknown)</span>}
                  </td>
                  <td>{formatCount(received)}</td>
                  <td>{formatCount(dropped)}</td>
                  <td>
                    <Time at={at} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

function makeSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
