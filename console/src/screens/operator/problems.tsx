import type { HealthProblem, Health as HealthReport } from '@generated/types.gen.ts';
import { Link } from '@tanstack/react-router';
import { Section } from '../../components/page.tsx';
import { Time } from '../../components/time.tsx';
import { formatCount, plural } from '../../formats.ts';

/** What is wrong, or that nothing is. */
export function Problems({ health }: { health: HealthReport }) {
  const { problems, links } = health;
  return (
    <div className="pt-4">
      {problems.length === 0 ? (
        <p role="status" className="text-lead">
          Nothing is wrong{links.appsNotChecked > 0 && ' in what was looked at'}.
        </p>
      ) : (
        <ul className="grid gap-2">
          {problems.map((problem) => (
            <ProblemItem key={`${problem.code} ${problem.message}`} {...problem} />
          ))}
        </ul>
      )}
      <p className="meta max-w-[92ch] pt-2">
        Of each app the newest live links were looked at <Time at={links.checkedAt} isToday />, as a phone
        meets them; no other host is asked.
        {links.appsNotChecked > 0 &&
          ` The links of ${plural(links.appsNotChecked, 'app')} were not looked at: the newest 200 are, and none on a node that is away.`}
      </p>
    </div>
  );
}

/** The pages where a problem of an app is mended. */
const PAGES = {
  link: ['/$appId/set-up', 'Set-up'],
  webhook: ['/$appId/webhooks', 'Webhooks'],
  host: ['/$appId/settings', 'Settings'],
} as const;
const OF_WEBHOOKS = ['webhooks.failing', 'deliveries.abandoned'];

function ProblemItem({ code, message, apps }: HealthProblem) {
  const kind = OF_WEBHOOKS.includes(code) ? 'webhook' : code.startsWith('hosts.') ? 'host' : 'link';
  const [to, page] = PAGES[kind];
  return (
    <li className="note note-bad">
      <b>Wrong</b>
      <div className="min-w-0">
        <p>
          {message} <code className="text-ink-2">{code}</code>
        </p>
        {apps.length > 0 && (
          <ul className="flex flex-wrap gap-x-4 pt-1">
            {apps.map(({ id, name }) => (
              <li key={id}>
                <Link to={to} params={{ appId: id }} className="link underline">
                  {page} of {name}
                </Link>
              </li>
            ))}
          </ul>
        )}
      </div>
    </li>
  );
}

export function FailingWebhooks({ webhooks }: Pick<HealthReport, 'webhooks'>) {
  if (webhooks.length === 0) return null;
  return (
    <Section title="Webhooks and destinations that fail">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">App</th>
            <th scope="col">Address or name</th>
            <th scope="col">Failing since</th>
            <th scope="col" className="num">
              Given up in 24 hours
            </th>
          </tr>
        </thead>
        <tbody>
          {webhooks.map(({ appId, appName, webhookId, url, name, failingSince, failed24h }) => (
            <tr key={webhookId}>
              <td>
                <Link
                  to={name === null ? '/$appId/webhooks' : '/$appId/destinations'}
                  params={{ appId }}
                  className="link"
                >
                  {appName}
                </Link>
              </td>
              <td data-name="Address or name" className="break-all">
                {name ?? url}
              </td>
              <td data-name="Failing since">
                {failingSince === null ? 'works again' : <Time at={failingSince} seconds={false} />}
              </td>
              <td data-name="Given up in 24 hours" className="num">
                {formatCount(failed24h)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}
