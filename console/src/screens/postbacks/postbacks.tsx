import { listPostbacks } from '@generated/sdk.gen.ts';
import type { Postback } from '@generated/types.gen.ts';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useRead } from '../../api/use-read.ts';
import { Picker } from '../../components/menu.tsx';
import { Empty, Head } from '../../components/page.tsx';
import { Pane } from '../../components/pane.tsx';
import { Time } from '../../components/time.tsx';

const route = getRouteApi('/$appId/postbacks');
const PAGE = 50;
const VERDICTS = ['verified', 'invalid', 'unverifiable'] as const;

export function Postbacks() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/$appId/postbacks' });
  const verdict = VERDICTS.find((each) => each === search.verdict);
  const query = {
    limit: PAGE,
    ...(verdict !== undefined && { verdict }),
    ...(search.before !== undefined && { before: search.before }),
  };
  const read = useRead(['postbacks', query], (client, signal) =>
    listPostbacks({ client, query, signal, throwOnError: true }),
  );
  return (
    <>
      <Head title="Postbacks">
        <Picker
          label="Signature"
          value={verdict ?? 'all'}
          options={[['all', 'All signatures'], ...VERDICTS.map((each) => [each, each] as const)]}
          onPick={(picked) => void navigate({ search: { verdict: picked === 'all' ? undefined : picked } })}
        />
      </Head>
      <div className="mt-2 border-t border-line">
        <Pane read={read} rows={8}>
          {(postbacks) =>
            postbacks.length === 0 ? (
              <Empty title={verdict === undefined ? 'No postbacks yet' : 'None fit'}>
                <p className="text-ink-2">
                  iPhones report installs by ads here, some days after them, signed by Apple.
                </p>
              </Empty>
            ) : (
              <>
                <PostbackTable postbacks={postbacks} />
                {postbacks.length === PAGE && (
                  <button
                    type="button"
                    className="btn mt-3"
                    onClick={() => void navigate({ search: { ...search, before: postbacks.at(-1)?.id } })}
                  >
                    Older
                  </button>
                )}
              </>
            )
          }
        </Pane>
      </div>
    </>
  );
}

const KINDS = { skadnetwork: 'SKAdNetwork', adattributionkit: 'AdAttributionKit' } as const;

function PostbackTable({ postbacks }: { postbacks: readonly Postback[] }) {
  return (
    <table className="table">
      <thead>
        <tr>
          {['Received', 'Kind', 'Signature', 'Ad network', 'Source', 'Value'].map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {postbacks.map((postback) => (
          <tr key={postback.id}>
            <td data-name="Received">
              <Time at={postback.receivedAt} />
            </td>
            <td data-name="Kind">
              {KINDS[postback.kind]} {postback.version}
            </td>
            <td data-name="Signature" className="text-ink-2">
              <span className={postback.verdict === 'invalid' ? 'font-semibold text-bad' : ''}>
                {postback.verdict}
              </span>
              {postback.reason !== null && <span className="meta block">{postback.reason}</span>}
            </td>
            <td data-name="Ad network" className="mono">
              {postback.adNetworkId}
            </td>
            <td data-name="Source">{postback.sourceIdentifier ?? postback.campaignId}</td>
            <td data-name="Value">
              {postback.conversionValue ?? postback.coarseConversionValue}
              {postback.eventName !== null && <span className="text-ink-2"> {postback.eventName}</span>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
