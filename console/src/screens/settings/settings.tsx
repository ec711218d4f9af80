/** The app's fields. */
import { readOwnApp, updateOwnApp } from '@generated/sdk.gen.ts';
import type { App, UpdateApp } from '@generated/types.gen.ts';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type FormEvent, useLayoutEffect, useRef, useState } from 'react';
import { useMay } from '../../api/app-context.ts';
import { useRenewSession } from '../../api/renew-session.ts';
import { useChange } from '../../api/use-change.ts';
import { useRead, useRefresh } from '../../api/use-read.ts';
import { Form, FormRefusal } from '../../components/form.tsx';
import { Head } from '../../components/page.tsx';
import { Pane } from '../../components/pane.tsx';
import { Unsaved } from '../../components/unsaved.tsx';
import { AppFields } from './app-fields.tsx';
import { HostWatch } from './host-watch.tsx';
import { readApp } from './read-app.ts';

const route = getRouteApi('/$appId/settings');

export function Settings() {
  const { appId } = route.useParams();
  const read = useRead(['app'], (client, signal) => readOwnApp({ client, signal, throwOnError: true }));
  return (
    <>
      <Head title="Settings" />
      <Pane read={read} rows={46}>
        {(app) => <AppForm app={app} />}
      </Pane>
      <div id="host" className="scroll-mt-16">
        <HostWatch />
      </div>
      <p className="meta pt-6">
        Your own password is in{' '}
        <Link to="/$appId/account" params={{ appId }} className="link">
          Account
        </Link>
        .
      </p>
    </>
  );
}

function AppForm({ app }: { app: App }) {
  const isOwner = useMay('owner');
  const refresh = useRefresh();
  const renew = useRenewSession();
  const [isSaved, setSaved] = useState(false);
  const focusedName = useRef('');
  // The field with the focus is made anew with what was stored.
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each save
  useLayoutEffect(() => {
    if (document.activeElement !== document.body || focusedName.current === '') return;
    document.querySelector<HTMLElement>(`main [name="${focusedName.current}"]`)?.focus();
  }, [app.updatedAt]);
  const change = useChange<UpdateApp, unknown>(
    (client, body) => updateOwnApp({ client, body, throwOnError: true }),
    async (_answer, { name }) => {
      await refresh('app');
      // Not before the fields are made anew: what is changed in between would be lost.
      setSaved(true);
      await refresh('links');
      // The app is named around every screen.
      if (name !== app.name) await renew();
    },
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setSaved(false);
    focusedName.current = document.activeElement?.getAttribute('name') ?? '';
    change.run(readApp(new FormData(event.currentTarget), app));
  };
  return (
    <Form
      error={change.error}
      fieldOf={{ 'app.host_taken': 'shortLinkHost' }}
      onSubmit={submit}
      onChange={() => setSaved(false)}
    >
      <Unsaved version={app.updatedAt} />
      {!isOwner && <p className="meta pt-2">Owners of the app change these.</p>}
      <fieldset disabled={!isOwner}>
        <legend className="sr-only">The app</legend>
        <AppFields key={app.updatedAt} app={app} />
      </fieldset>
      <div className="pt-4">
        <FormRefusal error={change.error} />
        {isOwner && (
          <button type="submit" className="btn btn-main mt-2" aria-disabled={change.isRunning}>
            Save
          </button>
        )}
        <span role="status" className="ml-3 text-ink-2">
          {isSaved && 'Saved.'}
        </span>
      </div>
    </Form>
  );
}
