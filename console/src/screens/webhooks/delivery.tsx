import { redeliver } from '@generated/sdk.gen.ts';
import type { WebhookDelivery } from '@generated/types.gen.ts';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../api/app-context.ts';
import { useChange } from '../../api/use-change.ts';
import { useRefresh } from '../../api/use-read.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Refusal } from '../../components/pane.tsx';
import { useShortcuts } from '../../components/shortcuts.ts';
import { Time } from '../../components/time.tsx';
import { formatCount, plural } from '../../formats.ts';

const route = getRouteApi('/$appId/webhooks');

/** One message: its attempts, the answer, and the bytes. */
export function Delivery({
  delivery,
  attempts,
}: {
  delivery: WebhookDelivery;
  attempts: readonly WebhookDelivery[];
}) {
  const { appId } = route.useParams();
  const search = route.useSearch();
  return (
    <article className="min-w-0 border-l border-line pt-3 pl-6 max-wide:border-0 max-wide:pl-0">
      <Link
        to="/$appId/webhooks"
        params={{ appId }}
        search={{ ...search, id: undefined }}
        activeOptions={{ exact: true, includeSearch: true }}
        className="link wide:hidden"
      >
        All deliveries
      </Link>
      <Summary delivery={delivery} attempts={attempts} />
      <h3 className="pt-5 pb-1 font-semibold">Attempts</h3>
      <ol>
        {attempts.map((each) => (
          <li key={each.id} className="flex gap-4 border-b border-line py-1 last:border-0">
            <span className="text-ink-3">{each.attempt_number}</span>
            <Time at={each.created_at} />
            <span className="ml-auto">{formatCount(each.duration_ms)} ms</span>
            <span className={`w-10 text-right ${each.success ? 'text-ink-2' : 'font-semibold text-bad'}`}>
              {each.http_status === 0 ? 'none' : each.http_status}
            </span>
          </li>
        ))}
      </ol>
      <h3 className="pt-5 pb-1 font-semibold">Answer</h3>
      {delivery.error_message !== null && <p className="pb-1 text-bad">{delivery.error_message}</p>}
      {delivery.http_status !== 0 && (
        <CodeBlock text={delivery.response_body === '' ? '(empty)' : delivery.response_body} label="Answer" />
      )}
      <h3 className="flex items-center pt-5 pb-1 font-semibold">
        Sent <span className="meta ml-2 flex-1 font-normal">The same bytes each time</span>
        <CopyButton className="btn btn-quiet font-normal" text={delivery.request_body} />
      </h3>
      <CodeBlock text={indented(delivery.request_body)} label="Sent" />
    </article>
  );
}

function Summary({
  delivery,
  attempts,
}: {
  delivery: WebhookDelivery;
  attempts: readonly WebhookDelivery[];
}) {
  const mayEdit = useMay('editor');
  const refresh = useRefresh();
  const [isSent, setSent] = useState(false);
  const change = useChange<void, unknown>(
    (client) => redeliver({ client, path: { attemptId: delivery.id }, throwOnError: true }),
    async () => {
      setSent(true);
      await refresh('deliveries');
    },
  );
  useShortcuts(mayEdit ? { r: () => change.run() } : {});
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="mono text-head!">{delivery.event_type}</h2>
        {mayEdit && (
          <button
            type="button"
            className="btn btn-main"
            aria-disabled={change.isRunning}
            onClick={() => change.run()}
          >
            {isSent ? 'Sent again' : 'Send again'} <kbd>R</kbd>
          </button>
        )}
      </div>
      <p className="text-ink-2">
        To <b className="break-all">{delivery.webhook_url}</b>, <Time at={delivery.created_at} />.{' '}
        {plural(attempts.length, 'attempt')}.
      </p>
      <Refusal error={change.error} />
    </>
  );
}

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
