import type { DestinationType } from '@generated/types.gen.ts';
import { getRouteApi, Link } from '@tanstack/react-router';
import { fieldsOf } from './config-fields.ts';

const route = getRouteApi('/$appId/destinations/new');

/** What there is to choose from, and what each needs. */
export function TypeCards({ types }: { types: readonly DestinationType[] }) {
  const { appId } = route.useParams();
  return (
    <>
      <p className="pt-2 text-ink-2">Where should the records go?</p>
      <ul className="grid grid-cols-[repeat(auto-fill,minmax(240px,1fr))] gap-3 pt-3">
        {types.map((type) => (
          <li key={type.type} className="grid">
            <Link
              to="/$appId/destinations/new"
              params={{ appId }}
              search={{ type: type.type }}
              className="grid content-start gap-1 rounded-l border border-line px-3.5 py-3 hover:bg-hover"
            >
              <b>{type.title}</b>
              <span className="text-ink-2">{needsOf(type)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}

function needsOf(type: DestinationType): string {
  const needed = fieldsOf(type).filter(({ isRequired }) => isRequired);
  return `Needs ${needed.map(({ label }) => label).join(', ')}`;
}
