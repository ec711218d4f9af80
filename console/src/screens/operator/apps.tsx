import { createApp, listApps } from '@generated/sdk.gen.ts';
import type { CreateApp } from '@generated/types.gen.ts';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useRouter } from '@tanstack/react-router';
import { sessionQuery } from '../../api/session.ts';
import { useChange } from '../../api/use-change.ts';
import { useRead, useRefresh } from '../../api/use-read.ts';
import { Field } from '../../components/field.tsx';
import { Section } from '../../components/page.tsx';
import { Pane, Refusal } from '../../components/pane.tsx';
import { Time } from '../../components/time.tsx';

export function Apps() {
  const read = useRead(['all-apps'], (client, signal) => listApps({ client, signal, throwOnError: true }));
  return (
    <>
      <div className="mt-2 border-t border-line">
        <Pane read={read} rows={5}>
          {(apps) => (
            <table className="table">
              <thead>
                <tr>
                  <th scope="col">App</th>
                  <th scope="col">iOS</th>
                  <th scope="col">Android</th>
                  <th scope="col">Host of its links</th>
                  <th scope="col" className="num">
                    Made
                  </th>
                </tr>
              </thead>
              <tbody>
                {apps.map(({ id, name, iosBundleId, androidPackage, shortLinkHost, createdAt }) => (
                  <tr key={id}>
                    <td>
                      <Link
                        to="/$appId"
                        params={{ appId: id }}
                        className="font-semibold break-words hover:text-accent hover:underline"
                      >
                        {name}
                      </Link>
                    </td>
                    <td data-name="iOS" className="mono text-ink-2">
                      {iosBundleId}
                    </td>
                    <td data-name="Android" className="mono text-ink-2">
                      {androidPackage}
                    </td>
                    <td data-name="Host of its links" className="mono text-ink-2">
                      {shortLinkHost}
                    </td>
                    <td className="num text-ink-2" data-name="Made">
                      <Time at={createdAt} seconds={false} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </Pane>
      </div>
      <Section title="New app">
        <NewApp />
      </Section>
    </>
  );
}

function NewApp() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const router = useRouter();
  const refresh = useRefresh();
  const change = useChange(
    async (client, body: CreateApp) => (await createApp({ client, body, throwOnError: true })).data,
    async ({ id }) => {
      await refresh('all-apps');
      // The session lists the apps that the console knows.
      await queries.fetchQuery({ ...sessionQuery, staleTime: 0 });
      await router.invalidate();
      await navigate({ to: '/$appId/set-up', params: { appId: id } });
    },
  );
  return (
    <form
      className="grid max-w-[560px] gap-3 pt-4"
      onSubmit={(event) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        const text = (name: string) => {
          const value = String(form.get(name)).trim();
          return value === '' ? null : value;
        };
        change.run({
          name: text('name') ?? '',
          iosBundleId: text('iosBundleId'),
          androidPackage: text('androidPackage'),
        });
      }}
    >
      <Field label="Name" name="name" required maxLength={255} autoComplete="off" />
      <Field
        label="Bundle ID on iOS"
        name="iosBundleId"
        isMono
        maxLength={255}
        placeholder="com.example.shop"
        help="Left empty if there is no app for iPhones."
      />
      <Field
        label="Package on Android"
        name="androidPackage"
        isMono
        maxLength={255}
        placeholder="com.example.shop"
        help="Left empty if there is no app for Android phones."
      />
      <Refusal error={change.error} />
      <button type="submit" className="btn btn-main justify-self-start" aria-disabled={change.isRunning}>
        Make app
      </button>
      <p className="meta">Its set-up follows: stores, links, keys and the SDK.</p>
    </form>
  );
}
