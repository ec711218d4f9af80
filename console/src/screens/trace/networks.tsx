import type { InstallDetails, Network } from '@generated/types.gen.ts';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Fact, Facts } from '../../components/facts.tsx';
import { Section } from '../../components/page.tsx';
import { Time } from '../../components/time.tsx';
import { formatNetwork } from '../../stats/networks.ts';

const route = getRouteApi('/$appId/installs/$installId');

/** What ad networks say of the install, beside what was found here; nothing where the app told of none. */
export function Networks({ install: { network, explanation } }: { install: InstallDetails }) {
  const { network: findings = [] } = explanation;
  if (network === null && findings.length === 0) return null;
  return (
    <Section
      title="What ad networks say"
      aside={
        <span className="meta">
          It stands beside the method above, and changes neither it nor its counts.
        </span>
      }
    >
      <ul className="grid max-w-[92ch] gap-2 pt-3">
        {findings.map(({ name, outcome, reason }) => (
          <li key={name}>
            <b className={outcome === 'attributed' ? 'text-accent' : ''}>{formatNetwork(name)}</b>{' '}
            <span className="text-ink-2">{reason}</span>
          </li>
        ))}
      </ul>
      {network !== null && <Claim network={network} />}
    </Section>
  );
}

function Claim({ network }: { network: Network }) {
  const { appId } = route.useParams();
  const { name, campaignId, clickedAt, claimType, conversionType, keywordId, test } = network;
  const facts = [
    ['Ad group', network.adGroupName, network.adGroupId],
    ['Ad', network.adName, network.adId],
    ['Keyword', null, keywordId],
    ['Claim', claimType, null],
    ['Conversion', conversionType, null],
  ] as const;
  return (
    <Facts>
      {campaignId !== null && (
        <Fact name="Campaign">
          <Link
            to="/$appId/installs"
            params={{ appId }}
            search={{ network: name, networkCampaign: campaignId }}
            className="link"
          >
            {network.campaignName ?? campaignId}
          </Link>
          <Id text={network.campaignName === null ? null : campaignId} />
        </Fact>
      )}
      {facts.map(
        ([label, title, id]) =>
          (title !== null || id !== null) && (
            <Fact key={label} name={label}>
              <bdi>{title ?? id}</bdi>
              <Id text={title === null ? null : id} />
            </Fact>
          ),
      )}
      {clickedAt !== null && (
        <Fact name="Ad tapped">
          <Time at={clickedAt} />
        </Fact>
      )}
      {test && <Fact name="Test record">Apple makes it for developers; it counts in the sandbox only</Fact>}
    </Facts>
  );
}

function Id({ text }: { text: string | null }) {
  return text === null ? null : <span className="mono ml-1.5 text-ink-3">{text}</span>;
}
