/** The app's fields, and the user's own account. */
import { readOwnApp, updateOwnApp } from '@generated/sdk.gen.ts';
import type { App, UpdateApp } from '@generated/types.gen.ts';
import { type FormEvent, useState } from 'react';
import { useMay } from '../../api/app-context.ts';
import { useChange } from '../../api/use-change.ts';
import { useRead, useRefresh } from '../../api/use-read.ts';
import { Head, Section } from '../../components/page.tsx';
import { Pane, Refusal } from '../../components/pane.tsx';
import { AppFields } from './app-fields.tsx';
import { Password } from './password.tsx';
import { readApp } from './read-app.ts';

export function Settings() {
  const read = useRead(['app'], (client, signal) => readOwnApp({ client, signal, throwOnError: true }));
  return (
    <>
      <Head title="Settings" />
      <Pane read={read} rows={34}>
        {(app) => <AppForm key={app.updatedAt} app={app} />}
      </Pane>
      <Section title="Your password">
        <Password />
      </Section>
    </>
  );
}

function AppForm({ app }: { app: App }) {
  const isOwner = useMay('owner');
  const refresh = useRefresh();
  const [isSaved, setSaved] = useState(false);
  const change = useChange<UpdateApp, unknown>(
    (client, body) => updateOwnApp({ client, body, throwOnError: true }),
    async () => {
      setSaved(true);
      await refresh('app');
    },
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setSaved(false);
    change.run(readApp(new FormData(event.currentTarget)));
  };
  return (
    <form onSubmit={submit}>
      {!isOwner && <p className="meta pt-2">Owners of the app change these.</p>}
      <fieldset disabled={!isOwner}>
        <legend className="sr-only">The app</legend>
        <AppFields app={app} />
      </fieldset>
      <div className="pt-4">
        <Refusal error={change.error} />
        {isOwner && (
          <button type="submit" className="btn btn-main mt-2" aria-disabled={change.isRunning}>
            Save
          </button>
        )}
        <span role="status" className="meta ml-3">
          {isSaved && 'Saved.'}
        </span>
      </div>
    </form>
  );
}
