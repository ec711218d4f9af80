import { createWebhook, updateWebhook } from '@generated/sdk.gen.ts';
import type { CreateWebhook, Webhook } from '@generated/types.gen.ts';
import type { FormEvent } from 'react';
import { useChange } from '../../api/use-change.ts';
import { useRefresh } from '../../api/use-read.ts';
import { Actions, Dialog } from '../../components/dialog.tsx';
import { Check, Choice, Field } from '../../components/field.tsx';
import { Refusal } from '../../components/pane.tsx';
import { EVENT_TYPES } from './event-types.ts';

const TEMPLATES = [
  ['', 'Signed JSON'],
  ['slack', 'Message in Slack'],
  ['discord', 'Message in Discord'],
  ['teams', 'Message in Teams'],
] as const;

export function WebhookDialog({
  webhook,
  isOpen,
  onClose,
}: {
  webhook: Webhook | null;
  isOpen: boolean;
  onClose: () => void;
}) {
  const refresh = useRefresh();
  const change = useChange<CreateWebhook, unknown>(
    (client, body) =>
      webhook === null
        ? createWebhook({ client, body, throwOnError: true })
        : updateWebhook({ client, path: { webhookId: webhook.id }, body, throwOnError: true }),
    async () => {
      await refresh('webhooks');
      onClose();
    },
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    change.run(readWebhook(new FormData(event.currentTarget)));
  };
  return (
    <Dialog title={webhook === null ? 'New webhook' : 'Edit webhook'} isOpen={isOpen} onClose={onClose}>
      <form className="grid gap-3" onSubmit={submit}>
        <Field label="Address" name="url" type="url" required maxLength={2048} defaultValue={webhook?.url} />
        <Choice label="Sends" name="template" defaultValue={webhook?.template ?? ''} options={TEMPLATES} />
        <Field
          label="Secret"
          name="secret"
          autoComplete="off"
          isMono
          maxLength={256}
          help={
            webhook === null
              ? 'Signs each delivery. Signed JSON needs one; chats do not.'
              : 'Left empty, the present one stays.'
          }
        />
        <fieldset>
          <legend className="font-semibold">Events</legend>
          {EVENT_TYPES.map((type) => (
            <Check
              key={type}
              label={type}
              name="events"
              value={type}
              defaultChecked={webhook?.events.includes(type)}
            />
          ))}
          <p className="meta">None chosen means all.</p>
        </fieldset>
        <Refusal error={change.error} />
        <Actions>
          <button type="button" className="btn" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="btn btn-main" aria-disabled={change.isRunning}>
            {webhook === null ? 'Make webhook' : 'Save'}
          </button>
        </Actions>
      </form>
    </Dialog>
  );
}

function readWebhook(form: FormData): CreateWebhook {
  const secret = String(form.get('secret'));
  const template = TEMPLATES.map(([name]) => name).find(
    (name) => name === form.get('template') && name !== '',
  );
  const chosen = form.getAll('events');
  return {
    url: String(form.get('url')),
    events: EVENT_TYPES.filter((type) => chosen.includes(type)),
    ...(secret !== '' && { secret }),
    ...(template !== undefined && template !== '' && { template }),
  };
}
