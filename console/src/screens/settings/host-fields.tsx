import type { App } from '@generated/types.gen.ts';
import { Field, TextArea } from '../../components/field.tsx';
import { Group } from './group.tsx';

/** What the app's own host answers beside its links. */
export function HostFields({ app }: { app: App }) {
  return (
    <Group title="Addresses of the own host">
      <p className="meta col-span-full">
        {app.shortLinkHost === null
          ? 'These take effect once the app has a host of short links, above.'
          : `At ${app.shortLinkHost}, links can have addresses such as ${app.shortLinkHost}/summer. Phones open the app by them only with the association files, which the service sends there: the app needs its bundle ID, team ID, package and fingerprints below.`}
      </p>
      <Field
        label="The host alone leads to"
        name="rootUrl"
        type="url"
        defaultValue={app.rootUrl ?? ''}
        help="For those who type the host without an address. If empty: not found."
      />
      <Field
        label="Addresses that no link has lead to"
        name="notFoundUrl"
        type="url"
        defaultValue={app.notFoundUrl ?? ''}
        help="Also those of deleted links. If empty: a page that says there is no such link."
      />
      <div className="col-span-full">
        <TextArea
          label="Hosts of long links of Firebase"
          name="firebaseLongLinks.allowedHosts"
          isMono
          defaultValue={(app.firebaseLongLinks?.allowedHosts ?? []).join('\n')}
          help="One a line, such as www.example.com or *.example.com. Long links (https://HOST/?link=…&apn=…), which are in no export, then go on working, and lead to these hosts alone. If empty, they find nothing."
        />
      </div>
    </Group>
  );
}
