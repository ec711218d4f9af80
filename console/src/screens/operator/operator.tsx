/** For operators: how the service is, its apps, and who else is an operator. */
import { getRouteApi, Link } from '@tanstack/react-router';
import { use } from 'react';
import { AppContext } from '../../api/app-context.ts';
import { Empty, Head } from '../../components/page.tsx';
import { Apps } from './apps.tsx';
import { Health } from './health.tsx';
import { ServiceLog } from './service-log.tsx';
import { Users } from './users.tsx';

const route = getRouteApi('/$appId/operator');

const TABS = [
  ['Health', undefined],
  ['Apps', 'apps'],
  ['Users', 'users'],
  ['Audit log', 'log'],
] as const;

export function Operator() {
  const { appId } = route.useParams();
  const { tab } = route.useSearch();
  const { user } = use(AppContext);
  if (!user.isOperator)
    return (
      <>
        <Head title="Operator" />
        <Empty title="Operators alone see this">
          <p className="text-ink-2">
            An operator can make you one. The first is made with <code>throughline users setup</code> on the
            server.
          </p>
        </Empty>
      </>
    );
  return (
    <>
      <Head title="Operator">
        <nav aria-label="Operator" className="tabs">
          {TABS.map(([name, value]) => (
            <Link
              key={name}
              to="/$appId/operator"
              params={{ appId }}
              search={{ tab: value }}
              activeOptions={{ exact: true, includeSearch: true }}
              aria-current={tab === value ? 'page' : undefined}
            >
              {name}
            </Link>
          ))}
        </nav>
      </Head>
      {tab === 'apps' ? <Apps /> : tab === 'users' ? <Users /> : tab === 'log' ? <ServiceLog /> : <Health />}
    </>
  );
}
