import { createWebhook, updateWebhook } from '@generated/sdk.gen.ts';
import type { ChangedWebhook, CreateWebhook, ListedWebhook } from '@generated/types.gen.ts';
import { type FormEvent, useState } from 'react';
import { useChange } from '../../api/use-change.ts';
import { useRefresh } from '../../api/use-read.ts';
import { CopyButton } from '../../components/copy-button.tsx';
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

const RETRIES = [
  ['standard', 'Three attempts, within seconds'],
  ['extended', 'Twelve attempts, within three days'],
] as const;

export function WebhookDialog({
  webhook,
  isOpen,
  onClose,
}: {
  webhook: ListedWebhook | null;
  isOpen: boolean;
  onClose: () => void;
}) {
  const refresh = useRefresh();
  const [madeSecret, setMadeSecret] = useState<string | null>(null);
  const change = useChange<CreateWebhook, ChangedWebhook>(
    async (client, body) => {
      const { data } =
        webhook === null
          ? await createWebhook({ client, body, throwOnError: true })
          : await updateWebhook({ client, path: { webhookId: webhook.id }, body, throwOnError: true });
      return data;
    },
    async ({ secret }) => {
      await refresh('webhooks');
      if (secret === undefined) onClose();
      else setMadeSecret(secret);
    },
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    change.run(readWebhook(new FormData(event.currentTarget), webhook));
  };
  const close = () => {
    setMadeSecret(null);
    onClose();
  };
  if (madeSecret !== null) return <MadeSecret secret={madeSecret} isOpen={isOpen} onClose={close} />;
  return (
    <Dialog title={webhook === null ? 'New webhook' : 'Edit webhook'} isOpen={isOpen} onClose={close}>
      <form className="grid gap-3" onSubmit={submit}>
        <Fields webhook={webhook} />
        <Refusal error={change.error} />
        <Actions>
          <button type="button" className="btn" onClick={close}>
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

function Fields({ webhook }: { webhook: ListedWebhook | null }) {
  const [template, setTemplate] = useState<string>(webhook?.template ?? '');
  return (
    <>
      <Field label="Address" name="url" type="url" required maxLength={2048} defaultValue={webhook?.url} />
      <Choice
        label="Sends"
        name="template"
        value={template === 'the service' ? 'discord' : template}
        onChange={(event) => setTemplate(event.currentTarget.value)}
        options={webhook?.template ? TEMPLATES.slice(1) : TEMPLATES}
      />
      {template === '' && <SecretFields isNew={webhook === null} />}
      <Choice
        label="When a delivery fails"
        name="retries"
        defaultValue={webhook?.retries ?? 'standard'}
        options={RETRIES}
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
        <p className="meta">
          {template === ''
            ? 'None chosen means all.'
            : 'Choose what people should read: with none chosen every event is a message, and a chat takes about one a second.'}
        </p>
      </fieldset>
    </>
  );
}

function SecretFields({ isNew }: { isNew: boolean }) {
  const help = isNew
    ? 'Signs each delivery. Left empty, one is made and shown once.'
    : 'Left empty, the present one stays. A former one signs too for 24 hours.';
  return (
    <div>
      <Field label="Secret" name="secret" autoComplete="off" isMono maxLength={256} help={help} />
      {!isNew && <Check label="Make a new secret, shown once" name="makeSecret" />}
    </div>
  );
}

function MadeSecret({ secret, isOpen, onClose }: { secret: string; isOpen: boolean; onClose: () => void }) {
  return (
    <Dialog title="Copy the secret now" isOpen={isOpen} onClose={onClose} canClose={false}>
      <p>It is shown this once. Your receiver verifies signatures with it.</p>
      <p className="flex flex-wrap items-center gap-2">
        <code className="break-all">{secret}</code> <CopyButton text={secret} />
      </p>
      <Actions>
        <button type="button" className="btn btn-main" onClick={onClose}>
          Done
        </button>
      </Actions>
    </Dialog>
  );
}

function readWebhook(form: FormData, webhook: ListedWebhook | null): CreateWebhook {
  const template = TEMPLATES.map(([name]) => name).find((name) => name === form.get('template'));
  const isMade = form.get('makeSecret') !== null || (webhook === null && template === '');
  const secret = String(form.get('secret') ?? '') || (isMade ? 'generate' : '');
  const chosen = form.getAll('events');
  return {
    url: String(form.get('url')),
    events: EVENT_TYPES.filter((type) => chosen.includes(type)),
    retries: form.get('retries') === 'extended' ? 'extended' : 'standard',
    ...(secret !== '' && { secret }),
    ...(template !== undefined && template !== '' && { template }),
  };
}
