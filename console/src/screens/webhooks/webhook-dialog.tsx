import { createWebhook, updateWebhook } from '@generated/sdk.gen.ts';
import type { ChangedWebhook, CreateWebhook, Webhook } from '@generated/types.gen.ts';
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
  ['standard', 'Standard: three attempts within seconds'],
  ['extended', 'Extended: twelve attempts within three days'],
] as const;

/** How fast each takes messages. */
const PACES: Readonly<Record<string, string>> = {
  slack: 'Slack takes one message a second',
  discord: 'Discord takes 30 messages a minute',
  teams: 'Teams takes four messages a second',
};

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
    change.run(readWebhook(new FormData(event.currentTarget)));
  };
  const close = () => {
    setMadeSecret(null);
    onClose();
  };
  if (madeSecret !== null)
    return <MadeSecret secret={madeSecret} isNew={webhook === null} isOpen={isOpen} onClose={close} />;
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

function Fields({ webhook }: { webhook: Webhook | null }) {
  // An older name, from the API.
  const given = webhook?.template === 'the service' ? 'discord' : webhook?.template;
  const [template, setTemplate] = useState<string>(given ?? '');
  return (
    <>
      <Field label="Address" name="url" type="url" required maxLength={2048} defaultValue={webhook?.url} />
      <Choice
        label="Sends"
        name="template"
        value={template}
        onChange={(event) => setTemplate(event.currentTarget.value)}
        options={webhook?.template ? TEMPLATES.slice(1) : TEMPLATES}
      />
      {template === '' && <SecretFields isNew={webhook === null} />}
      <Choice
        label="When a message does not arrive"
        name="retries"
        defaultValue={webhook?.retries ?? 'standard'}
        options={RETRIES}
        help={<Schedules />}
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
            ? 'None chosen means all, later types too.'
            : `None chosen means all: every event of every person is then a message in the chat. ${PACES[template]}; what comes faster waits its turn. Choose what people should read.`}
        </p>
      </fieldset>
    </>
  );
}

/** The delays of both, in words. */
function Schedules() {
  return (
    <>
      <span className="block">
        Standard: at once, then 1 and 5 seconds after a failure. Then the message is given up.
      </span>
      <span className="block">
        Extended: after those three, again after 5 and 30 minutes, 2, 5 and 10 hours, and four times every 12
        hours: the last attempt is nearly three days after the first.
      </span>
    </>
  );
}

const MADE = ['generate', 'Make a new one, shown once'] as const;
const OWN = ['own', 'Use one of mine'] as const;
const KEPT = ['keep', 'Keep the present one'] as const;

function SecretFields({ isNew }: { isNew: boolean }) {
  const [source, setSource] = useState<string>(isNew ? 'generate' : 'keep');
  const help = isNew
    ? 'Signs each message, so that your server knows who sent it.'
    : 'After a change the former secret signs too, for 24 hours.';
  return (
    <>
      <Choice
        label="Secret"
        name="secretSource"
        value={source}
        onChange={(event) => setSource(event.currentTarget.value)}
        options={isNew ? [MADE, OWN] : [KEPT, MADE, OWN]}
        help={help}
      />
      {source === 'own' && (
        <Field label="Your secret" name="secret" autoComplete="off" isMono required maxLength={256} />
      )}
    </>
  );
}

function MadeSecret({
  secret,
  isNew,
  isOpen,
  onClose,
}: {
  secret: string;
  isNew: boolean;
  isOpen: boolean;
  onClose: () => void;
}) {
  return (
    <Dialog title="Copy the secret now" isOpen={isOpen} onClose={onClose} canClose={false}>
      <p>It is shown only now. Your server verifies with it that messages come from here.</p>
      {!isNew && <p>The former one is valid beside it for 24 hours.</p>}
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

function readWebhook(form: FormData): CreateWebhook {
  const template = TEMPLATES.map(([name]) => name).find((name) => name === form.get('template'));
  const source = form.get('secretSource');
  const secret = source === 'own' ? String(form.get('secret')) : source === 'generate' ? 'generate' : null;
  const chosen = form.getAll('events');
  return {
    url: String(form.get('url')),
    events: EVENT_TYPES.filter((type) => chosen.includes(type)),
    retries: form.get('retries') === 'extended' ? 'extended' : 'standard',
    ...(secret !== null && { secret }),
    ...(template !== undefined && template !== '' && { template }),
  };
}
