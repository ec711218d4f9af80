import { getRouteApi, Link } from '@tanstack/react-router';
import { CHECK_NAMES, useHosts } from '../settings/hosts.ts';

const route = getRouteApi('/$appId/');

/** What two looks at the host of short links found wrong; nothing where all is well. */
export function HostProblems() {
  const { appId } = route.useParams();
  const { data = [] } = useHosts();
  const problems = data.flatMap(({ host, checks }) =>
    checks.filter(({ confirmed }) => confirmed).map((check) => ({ host, ...check })),
  );
  if (problems.length === 0) return null;
  return (
    <ul className="grid gap-2 pt-3">
      {problems.map(({ host, check, message, mend }) => (
        <li key={`${host} ${check}`} className="note note-bad min-w-0">
          <b>{CHECK_NAMES[check]}</b>
          <p className="min-w-0 wrap-anywhere">
            {message} {mend}{' '}
            <Link to="/$appId/settings" params={{ appId }} hash="host" className="link underline">
              Look again in Settings
            </Link>
          </p>
        </li>
      ))}
    </ul>
  );
}
