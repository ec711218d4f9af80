/** One destination: how it fares, what it sends, and what became of it. */
import { readDestination } from '@generated/sdk.gen.ts';
import type { Destination } from '@generated/types.gen.ts';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useMay } from '../../api/app-context.ts';
import { useRead } from '../../api/use-read.ts';
import { Head, Section } from '../../components/page.tsx';
import { Pane } from '../../components/pane.tsx';
import { Time } from '../../components/time.tsx';
import { About, Fact } from '../../delivery/about.tsx';
import { REFETCH_MS } from '../../delivery/attempts.tsx';
import { HealthLine } from '../../delivery/health-line.tsx';
import { labelOf } from './config-fields.ts';
import { DestinationActions } from './destination-actions.tsx';
import { Preview } from './preview.tsx';
import { SentLog } from './sent-log.tsx';
import { useTypes } from './use-types.ts';
import { CONSENTS, takenBy } from './words.ts';

const route = getRouteApi('/$appId/destinations/$destinationId');

export function DestinationPage() {
  const { appId, destinationId } = route.useParams();
  const navigate = useNavigate();
  const mayEdit = useMay('editor');
  const read = useRead(
    ['destinations', destinationId],
    (client, signal) => readDestination({ client, path: { destinationId }, signal, throwOnError: true }),
    { refetchMs: REFETCH_MS },
  );
  const { data } = read;
  return (
    <>
      <Head
        title={data?.name ?? 'Destination'}
        above={
          <Link to="/$appId/destinations" params={{ appId }} className="hover:text-ink">
            Destinations
          </Link>
        }
      >
        {data !== undefined && (
          <DestinationActions
            destination={data}
            onDelete={() => void navigate({ to: '/$appId/destinations', params: { appId } })}
          />
        )}
      </Head>
      <Pane read={read} rows={6}>
        {(destination) => (
          <>
            <HealthLine of={destination} />
            <Kind destination={destination} />
            {mayEdit && (
              <Section title="What is sent">
                <Preview destination={destination} />
              </Section>
            )}
            <Section title="Messages">
              <SentLog destination={destination} />
            </Section>
          </>
        )}
      </Pane>
    </>
  );
}

function Kind({ destination }: { destination: Destination }) {
  const { titleOf } = useTypes();
  const { type, consent, sandbox, createdAt, config } = destination;
  const whom = CONSENTS.find(([value]) => value === consent)?.[1];
  return (
    <About>
      <Fact name="Type">{titleOf(type)}</Fact>
      <Fact name="Takes">
        {takenBy(destination)}
        {sandbox && ', of the sandbox alone'}
      </Fact>
      <Fact name="Consent">{whom}</Fact>
      {Object.entries(config)
        .filter(([, value]) => typeof value === 'string' && value.length < 200)
        .map(([name, value]) => (
          <Fact key={name} name={labelOf(name)}>
            <span className="mono">{String(value)}</span>
          </Fact>
        ))}
      <Fact name="Made">
        <Time at={createdAt} seconds={false} />
      </Fact>
    </About>
  );
}
