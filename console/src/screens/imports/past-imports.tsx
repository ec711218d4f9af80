import type { Import } from '@generated/types.gen.ts';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Time } from '../../components/time.tsx';
import { formatCount } from '../../formats.ts';
import { sourceOf } from './sources.ts';
import { outcomeText } from './words.ts';

const route = getRouteApi('/$appId');

export function PastImports({ imports }: { imports: readonly Import[] }) {
  const { appId } = route.useParams();
  if (imports.length === 0) return <p className="py-3 text-ink-2">None so far.</p>;
  return (
    <table className="table">
      <thead>
        <tr>
          <th scope="col">Started</th>
          <th scope="col">From</th>
          <th scope="col">Outcome</th>
          <th scope="col" className="num">
            Rows
          </th>
        </tr>
      </thead>
      <tbody>
        {imports.map((each) => (
          <tr key={each.id}>
            <td>
              <Link
                to="/$appId/links/import/$importId"
                params={{ appId, importId: each.id }}
                className="link"
              >
                <Time at={each.createdAt} seconds={false} />
              </Link>
            </td>
            <td data-name="From">{sourceOf(each.source).name}</td>
            <td data-name="Outcome">
              {each.dryRun && <span className="tag mr-1.5">dry run</span>}
              <span className={each.status === 'failed' ? 'text-bad' : ''}>{outcomeText(each)}</span>
            </td>
            <td data-name="Rows" className="num">
              {formatCount(each.rows)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
