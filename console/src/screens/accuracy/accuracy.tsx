/** How right the fingerprint is, for each threshold, and the threshold itself. */
import { readAccuracy } from '@generated/sdk.gen.ts';
import type { AccuracyStats } from '@generated/types.gen.ts';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useMay } from '../../api/app-context.ts';
import { useRead } from '../../api/use-read.ts';
import { Picker } from '../../components/menu.tsx';
import { Empty, Head, Section } from '../../components/page.tsx';
import { Pane, Refusal } from '../../components/pane.tsx';
import { PLATFORMS, type Platform, platformOf } from '../../formats.ts';
import { OnePlatform } from './one-platform.tsx';
import { useUpdate } from './use-update.ts';
import { formatThreshold } from './words.ts';

const route = getRouteApi('/$appId/accuracy');

export function Accuracy() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/$appId/accuracy' });
  const read = useRead(['accuracy'], (client, signal) =>
    readAccuracy({ client, signal, throwOnError: true }),
  );
  const platform = platformOf(search.platform).platform ?? fullerOf(read.data);
  return (
    <>
      <Head title="Accuracy">
        <Picker
          label="Platform"
          value={platform}
          options={Object.entries(PLATFORMS) as [Platform, string][]}
          onPick={(picked) => void navigate({ search: { platform: picked } })}
        />
        <span className="meta">Last 30 days, live installs</span>
      </Head>
      <Pane read={read} rows={12}>
        {(stats) => <Shown stats={stats} platform={platform} />}
      </Pane>
    </>
  );
}

/** Where more is known. */
function fullerOf(stats: AccuracyStats | undefined): Platform {
  const [first] = (stats?.platforms ?? []).toSorted(
    (a, b) => b.sampled - a.sampled || b.compared - a.compared,
  );
  return first?.platform ?? 'IOS';
}

function Shown({ stats, platform }: { stats: AccuracyStats; platform: Platform }) {
  const { appId } = route.useParams();
  const curve = stats.platforms.find((each) => each.platform === platform);
  if (curve === undefined) return null;
  const isEmpty = curve.sampled === 0 && curve.compared === 0;
  return (
    <>
      {!curve.fingerprint && <FingerprintOff platform={platform} />}
      {!stats.measureAccuracy && (
        <div className="note mt-3">
          <b>Off</b>
          <p>Nothing is measured now.{!isEmpty && ' What you see was measured before.'}</p>
        </div>
      )}
      {isEmpty ? (
        <Empty title={`Nothing was measured on ${PLATFORMS[platform]} in the last 30 days`}>
          <p className="text-ink-2">
            An install whose click is certain, by a referrer, a link or a copied token, is matched once more
            by its fingerprint alone, in the background. What that would have said is counted here.
          </p>
          {curve.fingerprint && (
            <p className="text-ink-2">
              The fingerprint matches from {formatThreshold(stats.threshold)} on, until another threshold is
              set in{' '}
              <Link to="/$appId/settings" params={{ appId }} className="link">
                Settings
              </Link>
              .
            </p>
          )}
        </Empty>
      ) : (
        // The slider begins at the threshold of the app.
        <OnePlatform key={`${platform} ${stats.threshold}`} curve={curve} threshold={stats.threshold} />
      )}
      <Measuring isOn={stats.measureAccuracy} />
    </>
  );
}

function FingerprintOff({ platform }: { platform: Platform }) {
  const { appId } = route.useParams();
  return (
    <div className="note mt-3">
      <b>The fingerprint is off on {PLATFORMS[platform]}</b>
      <p>
        It matches no install there, whatever the threshold, and nothing is measured. It is switched on in{' '}
        <Link to="/$appId/settings" params={{ appId }} className="link">
          Settings
        </Link>
        .
      </p>
    </div>
  );
}

function Measuring({ isOn }: { isOn: boolean }) {
  const isOwner = useMay('owner');
  const change = useUpdate();
  return (
    <Section title="Measuring">
      <p className="max-w-[72ch] pt-2">
        {isOn
          ? 'Of the installs with a certain match at most 2,000 a day are measured. Only counts are kept, nothing about a person.'
          : 'It is off: the fingerprints of installs with a certain match are not compared.'}
      </p>
      <Refusal error={change.error} />
      {isOwner ? (
        <button
          type="button"
          className="btn mt-2"
          aria-disabled={change.isRunning}
          onClick={() => change.run({ measureAccuracy: !isOn })}
        >
          {isOn ? 'Stop measuring' : 'Measure'}
        </button>
      ) : (
        <p className="meta pt-2">Owners of the app change this.</p>
      )}
    </Section>
  );
}
