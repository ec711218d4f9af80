import { Link } from '@tanstack/react-router';
import { use } from 'react';
import { AppContext } from '../../api/app-context.ts';
import { groupsOf } from './nav.ts';

export function NavList() {
  const { app, user } = use(AppContext);
  return (
    <div className="grid gap-4">
      {groupsOf(user).map(({ name, places }) => (
        <div key={name}>
          {name !== null && <p className="meta px-2 pb-1">{name}</p>}
          <ul className="grid gap-px">
            {places.map((place) => (
              <li key={place.to}>
                <Link
                  to={place.to}
                  params={{ appId: app.id }}
                  activeOptions={{ exact: place.to === '/$appId', includeSearch: false }}
                  className="flex h-(--nav-row) items-center rounded-m px-2 text-ink-2 hover:bg-hover"
                  activeProps={{
                    className:
                      'bg-surface font-semibold text-ink! shadow-[inset_0_0_0_1px_var(--color-line)]',
                    'aria-current': 'page',
                  }}
                >
                  {place.name}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </div>
  );
}
