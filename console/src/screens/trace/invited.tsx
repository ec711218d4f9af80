import { listInvitedInstalls } from '@generated/sdk.gen.ts';
import type { InstallDetails } from '@generated/types.gen.ts';
import { Link, useParams } from '@tanstack/react-router';
import { useRead } from '../../api/use-read.ts';
import { Section } from '../../components/page.tsx';
import { ToInstall } from '../../components/to-install.tsx';
import { plural } from '../../formats.ts';
import { methodName } from '../records/records.tsx';

const SHOWN = 10;

/** The installs that came by links of this one; nothing for an install that shared none. */
export function Invited({ install: { id, sandbox } }: { install: InstallDetails }) {
  const { appId } = useParams({ from: '/$appId' });
  const { data } = useRead(['installs', id, 'invitations'], (client, signal) =>
    listInvitedInstalls({
      client,
      path: { installId: id },
      query: { limit: SHOWN },
      signal,
      throwOnError: true,
    }),
  );
  if (data === undefined || (data.links === 0 && data.installs.length === 0)) return null;
  const { links, clicks, installs } = data;
  const search = { invitedBy: id, ...(sandbox && { sandbox: 'true' }) };
  return (
    <Section
      title="Invited"
      aside={
        <span className="meta">
          {plural(links, 'link')} shared, {plural(clicks, 'click')}
        </span>
      }
    >
      {installs.length === 0 ? (
        <p className="pt-2 text-ink-2">Nobody has installed the app by them yet.</p>
      ) : (
        <ul className="pt-2">
          {installs.map(({ id: installId, installedAt, shortCode, method, confidence }) => (
            <li key={installId} className="grid grid-cols-[auto_1fr_auto] gap-4 border-b border-line py-1.5">
              <ToInstall installId={installId} at={installedAt} />
              <span className="min-w-0 text-ink-2">{methodName(method, confidence)}</span>
              {shortCode !== null && (
                <Link
                  to="/$appId/links/$shortCode"
                  params={{ appId, shortCode }}
                  className="mono hover:text-accent hover:underline"
                >
                  /{shortCode}
                </Link>
              )}
            </li>
          ))}
        </ul>
      )}
      {installs.length === SHOWN && (
        <p className="meta pt-2">
          <Link to="/$appId/installs" params={{ appId }} search={search} className="link">
            All installs that it invited
          </Link>
        </p>
      )}
    </Section>
  );
}
