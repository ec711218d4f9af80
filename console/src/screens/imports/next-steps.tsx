import { getRouteApi, Link } from '@tanstack/react-router';
import { SERVICE_URL } from '../../api/client.ts';

const route = getRouteApi('/$appId');
const MOVING = `${SERVICE_URL}docs/guide/moving.md`;

/** After an import: on the way to the switch of the name. */
export function NextSteps({ shortUrl }: { shortUrl: string | null }) {
  const { appId } = route.useParams();
  return (
    <section aria-labelledby="next" className="pt-6">
      <h2 id="next">Next</h2>
      <ol className="grid list-decimal gap-1.5 py-2 pl-5 marker:text-ink-3">
        <li>
          Look at a link: its page has the{' '}
          <Link to="/$appId/links" params={{ appId }} className="link">
            diagnosis
          </Link>{' '}
          of every way that a phone may take
          {shortUrl !== null && (
            <>
              {', and '}
              <a href={shortUrl} className="link break-all" target="_blank" rel="noreferrer">
                {shortUrl}
              </a>{' '}
              answers once the name leads here
            </>
          )}
          .
        </li>
        <li>
          <a href={`${MOVING}#step-6-rehearse`} className="link" target="_blank" rel="noreferrer">
            Rehearse
          </a>
          : a command compares each link with the old service, before anybody notices.
        </li>
        <li>
          <a href={`${MOVING}#step-7-release-the-app`} className="link" target="_blank" rel="noreferrer">
            Release the app
          </a>{' '}
          with the SDK, and compare the association files.
        </li>
        <li>
          <a href={`${MOVING}#step-10-switch`} className="link" target="_blank" rel="noreferrer">
            Switch the DNS record
          </a>{' '}
          of the host. Import again right before: links that are here stay as they are.
        </li>
      </ol>
    </section>
  );
}
