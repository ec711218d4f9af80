import { createOwnKey, listOwnKeys } from '@generated/sdk.gen.ts';
import type { App, CreateKey } from '@generated/types.gen.ts';
import { useState } from 'react';
import { useMay } from '../../api/app-context.ts';
import { SERVICE_URL } from '../../api/client.ts';
import { useChange } from '../../api/use-change.ts';
import { useRead, useRefresh } from '../../api/use-read.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Refusal } from '../../components/pane.tsx';
import { KINDS, type Kind, snippetsOf } from './snippets.ts';

/** Stands in the code until a key is made here: a key is shown once only. */
const PLACE_OF_KEY = 'PUBLISHABLE_KEY';

/** The SDK in the app, for copying. */
export function SdkCode({ app }: { app: App }) {
  const isOwner = useMay('owner');
  const [kind, setKind] = useState<Kind>('react-native');
  const [key, setKey] = useState<string | null>(null);
  const snippets = snippetsOf(kind, {
    baseUrl: SERVICE_URL.replace(/\/$/, ''),
    host: app.shortLinkHost ?? new URL(SERVICE_URL).host,
    key: key ?? PLACE_OF_KEY,
  });
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3 pt-3">
      <div className="tabs">
        {KINDS.map(([each, name]) => (
          <button key={each} type="button" aria-pressed={each === kind} onClick={() => setKind(each)}>
            {name}
          </button>
        ))}
      </div>
      {snippets.map(([place, text]) => (
        <div key={place}>
          <p className="meta flex min-h-8 flex-wrap items-center justify-between gap-2 pb-1">
            {place} <CopyButton className="btn btn-quiet" text={text} />
          </p>
          <CodeBlock label={place} text={text} />
        </div>
      ))}
      {isOwner ? (
        <OwnersKey key={app.id} made={key} onMade={setKey} />
      ) : (
        <p className="meta">
          In place of <code>{PLACE_OF_KEY}</code>: a publishable key, which an owner of the app makes. It may
          be in the app: it can report, not read.
        </p>
      )}
    </div>
  );
}

function OwnersKey({ made, onMade }: { made: string | null; onMade: (key: string) => void }) {
  const refresh = useRefresh();
  const { data: keys = [] } = useRead(['keys'], (client, signal) =>
    listOwnKeys({ client, signal, throwOnError: true }),
  );
  const change = useChange(
    async (client, kind: CreateKey['kind']) =>
      (await createOwnKey({ client, body: { kind }, throwOnError: true })).data,
    async ({ key }) => {
      onMade(key);
      await refresh('keys');
    },
  );
  const hints = keys.filter(({ kind, revokedAt }) => revokedAt === null && kind.endsWith('_publishable'));
  if (made !== null)
    return (
      <div className="note" role="status">
        <b>Copy it now</b>
        <p>
          The code has the key <code className="break-all">{made}</code>. It is shown this once.{' '}
          <CopyButton className="link" text={made}>
            Copy key
          </CopyButton>
        </p>
      </div>
    );
  return (
    <div className="grid gap-2">
      <p className="text-ink-2">
        {hints.length === 0 ? (
          <>
            <code>{PLACE_OF_KEY}</code> stands for a publishable key, and this app has none yet.
          </>
        ) : (
          <>
            In place of <code>{PLACE_OF_KEY}</code>, paste <Hints hints={hints.map(({ hint }) => hint)} />. A
            key is shown once only: if nobody kept it, make another.
          </>
        )}{' '}
        It may be in the app: it can report, not read.
      </p>
      <p className="flex flex-wrap gap-2">
        <button
          type="button"
          className="btn"
          aria-disabled={change.isRunning}
          onClick={() => change.run('test_publishable')}
        >
          Make a key for debug builds
        </button>
        <button
          type="button"
          className="btn"
          aria-disabled={change.isRunning}
          onClick={() => change.run('live_publishable')}
        >
          Make a key for the stores
        </button>
      </p>
      <Refusal error={change.error} />
    </div>
  );
}

const SHOWN_HINTS = 3;

function Hints({ hints }: { hints: readonly string[] }) {
  return hints.slice(0, SHOWN_HINTS).map((hint, index) => (
    <span key={hint}>
      {index > 0 && ' or '}
      <code>{hint}</code>
    </span>
  ));
}
