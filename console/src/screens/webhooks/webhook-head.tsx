import type { Webhook } from '@generated/types.gen.ts';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Head } from '../../components/page.tsx';
import { Time } from '../../components/time.tsx';
import { About, Fact } from '../../delivery/about.tsx';
import { HealthLine } from '../../delivery/health-line.tsx';
import { nameOf } from './state.ts';
import { WebhookActions } from './webhook-actions.tsx';

const route = getRouteApi('/$appId/webhooks');

const SENDS: Readonly<Record<string, string>> = {
  slack: 'Messages in Slack',
  discord: 'Messages in Discord',
  'the service': 'Messages in Discord',
  teams: 'Messages in Teams',
};

const RETRIES = {
  standard: 'Three times: at once, then 1 and 5 seconds after a failure',
  extended:
    'Twelve times: at once, then after 1 and 5 seconds, 5 and 30 minutes, 2, 5 and 10 hours, and four times every 12 hours',
} as const;

/** The head of a webhook's page: how it fares, what it is, and what one does with it. */
export function WebhookHead({ webhook }: { webhook: Webhook }) {
  const { appId } = route.useParams();
  const { id } = route.useSearch();
  const navigate = useNavigate({ from: '/$appId/webhooks' });
  // A message has the page to itself where it does not fit beside the list.
  const hidden = id === undefined ? '' : 'max-wide:hidden';
  return (
    <>
      <Head
        title={nameOf(webhook.url)}
        above={
          <Link to="/$appId/webhooks" params={{ appId }} search={{}} className="hover:text-ink">
            Webhooks
          </Link>
        }
        heading={<span className="break-all">{nameOf(webhook.url)}</span>}
      >
        <WebhookActions webhook={webhook} onDelete={() => void navigate({ search: {} })} />
      </Head>
      <HealthLine of={webhook} />
      <About className={hidden}>
        <Fact name="Sends">{SENDS[webhook.template ?? ''] ?? 'Signed JSON'}</Fact>
        <Fact name="Events">{webhook.events.length === 0 ? 'All' : webhook.events.join(', ')}</Fact>
        <Fact name="Tries">{RETRIES[webhook.retries]}</Fact>
        <Fact name="Made">
          <Time at={webhook.createdAt} seconds={false} />
        </Fact>
      </About>
    </>
  );
}
