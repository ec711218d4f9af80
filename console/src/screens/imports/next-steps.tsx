import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { SERVICE_URL } from '../../api/client.ts';

const route = getRouteApi('/$appId');
const MOVING = `${SERVICE_URL}docs/guide/moving`;

/** After an import: on the way to the switch of the name. @param first the address of a link that it made */
export function NextSteps({ first }: { first: string | null }) {
  const { appId } = route.useParams();
  const q = first === null ? undefined : new URL(first).pathname.replace(/^\/(?:l\/)?/, '');
  return (
    <section aria-labelledby="next" className="pt-6">
      <h2 id="next">Next</h2>
      <ol className="grid list-decimal gap-1.5 py-2 pl-5 marker:text-ink-3">
        <li>
          <p>
            <Link
              to="/$appId/links"
              params={{ appId }}
              search={q === undefined ? {} : { q }}
              className="link"
            >
              Open a link
            </Link>
            : its page has the diagnosis of every way that a phone may take.
          </p>
        </li>
        <Step name="Rehearse" anchor="step-6-rehearse">
          : a command compares each link with the old service, before anybody notices.
        </Step>
        <Step name="Release the app" anchor="step-7-release-the-app">
          {' '}
          with the SDK, and compare the association files.
        </Step>
        <Step name="Switch the DNS record" anchor="step-10-switch">
          {' '}
          of the host. Import again right before: links that are here stay as they are.
        </Step>
      </ol>
    </section>
  );
}

function Step({ name, anchor, children }: { name: string; anchor: string; children: ReactNode }) {
  return (
    <li>
      <p>
        <a href={`${MOVING}#${anchor}`} className="link" target="_blank" rel="noreferrer">
          {name}
        </a>
        {children}
      </p>
    </li>
  );
}
