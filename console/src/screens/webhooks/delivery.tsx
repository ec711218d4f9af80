import { redeliver } from '@generated/sdk.gen.ts';
import type { Webhook, WebhookDelivery } from '@generated/types.gen.ts';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../api/app-context.ts';
import { useChange } from '../../api/use-change.ts';
import { useRefresh } from '../../api/use-read.ts';
import { CodeBlock, indented } from '../../components/code-block.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Refusal } from '../../components/pane.tsx';
import { useShortcuts } from '../../components/shortcuts.ts';
import { Time } from '../../components/time.tsx';
import { Status } from '../../delivery/attempts.tsx';
import { formatCount, plural } from '../../formats.ts';
import { type Message, stateOf } from './state.ts';

const route = getRouteApi('/$appId/webhooks');

/** One message: its attempts with the answers, and the bytes. */
export function Delivery({ message, webhook }: { message: Message; webhook: Webhook | undefined }) {
  const { appId } = route.useParams();
  const search = route.useSearch();
  const [newest] = message;
  return (
    <article className="min-w-0 border-l border-line pt-3 pl-6 max-wide:border-0 max-wide:pl-0">
      <Link
        to="/$appId/webhooks"
        params={{ appId }}
        search={{ ...search, id: undefined }}
        activeOptions={{ exact: true, includeSearch: true }}
        className="link wide:hidden"
      >
        All messages
      </Link>
      <Summary message={message} webhook={webhook} />
      <h3 className="pt-5 pb-1 font-semibold">Attempts</h3>
      <ol>
        {message.toReversed().map((attempt, index) => (
          <li key={attempt.id} className="border-b border-line last:border-0">
            <Attempt attempt={attempt} nth={index + 1} isOpen={attempt === newest} />
          </li>
        ))}
      </ol>
      <h3 className="flex items-center pt-5 pb-1 font-semibold">
        Sent <span className="meta ml-2 flex-1 font-normal">The same bytes each time</span>
        <CopyButton className="btn btn-quiet font-normal" text={newest.request_body} />
      </h3>
      <CodeBlock
        text={newest.request_body === '' ? '(erased)' : indented(newest.request_body)}
        label="Sent"
      />
    </article>
  );
}

/** Opens to what the receiver answered. */
function Attempt({ attempt, nth, isOpen }: { attempt: WebhookDelivery; nth: number; isOpen: boolean }) {
  const { created_at, duration_ms, http_status, success, error_message } = attempt;
  return (
    <details open={isOpen} className="group">
      <summary className="flex cursor-pointer gap-4 py-1 hover:bg-hover">
        <span aria-hidden="true" className="text-ink-3 group-open:rotate-90">
          ›
        </span>
        <span className="text-ink-3">{nth}</span>
        <Time at={created_at} />
        <span className="ml-auto">{formatCount(duration_ms)} ms</span>
        <Status status={http_status} isSuccess={success} className="w-10 text-right" />
      </summary>
      <div className="pb-2">
        {error_message !== null && <p className="pb-1 text-bad">{error_message}</p>}
        <Answer attempt={attempt} nth={nth} />
      </div>
    </details>
  );
}

function Answer({ attempt: { http_status, response_body }, nth }: { attempt: WebhookDelivery; nth: number }) {
  const mayEdit = useMay('editor');
  if (http_status === 0) return null;
  // A receiver may repeat its address, which is a credential.
  if (!mayEdit) return <p className="meta">Editors and owners see what the receiver answered.</p>;
  return (
    <CodeBlock
      text={response_body === '' ? '(nothing in the body)' : response_body}
      label={`Answer to attempt ${nth}`}
    />
  );
}

function Summary({ message, webhook }: { message: Message; webhook: Webhook | undefined }) {
  const [newest] = message;
  const search = route.useSearch();
  const { appId } = route.useParams();
  const mayEdit = useMay('editor');
  const refresh = useRefresh();
  const [isSent, setSent] = useState(false);
  const change = useChange<void, unknown>(
    (client) => redeliver({ client, path: { attemptId: newest.id }, throwOnError: true }),
    async () => {
      setSent(true);
      await Promise.all([refresh('deliveries'), refresh('webhooks')]);
    },
  );
  useShortcuts(mayEdit ? { r: () => change.run() } : {});
  const state = stateOf(message, webhook);
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="mono text-head!">{newest.event_type}</h2>
        {mayEdit && (
          <button
            type="button"
            className="btn btn-main"
            aria-disabled={change.isRunning}
            onClick={() => change.run()}
          >
            Send again <kbd>R</kbd>
          </button>
        )}
      </div>
      <p role="status" className={state.isBad && !isSent ? 'font-semibold text-bad' : 'font-semibold'}>
        {isSent ? 'Sent again' : state.text}.
      </p>
      {isSent && search.before !== undefined && (
        <p>
          Sent again. The new attempt is among the{' '}
          <Link
            to="/$appId/webhooks"
            params={{ appId }}
            search={{ ...search, before: undefined, id: undefined }}
            className="link"
          >
            newest messages
          </Link>
          .
        </p>
      )}
      <p className="text-ink-2">
        To <b className="break-all">{newest.webhook_url}</b>, <Time at={newest.created_at} />.{' '}
        {plural(message.length, 'attempt')}.
      </p>
      <Refusal error={change.error} />
    </>
  );
}
