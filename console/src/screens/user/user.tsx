/** All that one user did, in one line of time. */
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { CopyButton } from '../../components/copy-button.tsx';
import { Mark, type RecordKind } from '../../components/mark.tsx';
import { Picker } from '../../components/menu.tsx';
import { Empty, Head, Section } from '../../components/page.tsx';
import { Failure, Loading } from '../../components/pane.tsx';
import { formatCount, formatMoney } from '../../formats.ts';
import type { RecordSearch } from '../records/record-search.ts';
import { useTotal } from '../records/use-records.ts';
import { toMoney } from './decimals.ts';
import { Row } from './row.tsx';
import { type User, useSums, useTimeline } from './use-user.ts';

const route = getRouteApi('/$appId/user');

export function UserPage() {
  const { id, sandbox } = route.useSearch();
  const navigate = useNavigate({ from: '/$appId/user' });
  if (id === undefined)
    return (
      <>
        <Head title="User" />
        <Empty title="No user is named">
          <p className="text-ink-2">Search for a user ID, or open a user from an event or install.</p>
        </Empty>
      </>
    );
  const user = { id, isSandbox: sandbox === 'true' };
  return (
    <>
      <Head
        title={`User ${id}`}
        above="User"
        heading={
          <span dir="auto" className="break-all">
            {id}
          </span>
        }
      >
        <div className="ml-auto flex gap-2 max-phone:ml-0">
          <Picker
            label="Data"
            value={user.isSandbox ? 'true' : 'live'}
            options={[
              ['live', 'Live data'],
              ['true', 'Sandbox data'],
            ]}
            onPick={(picked) =>
              void navigate({ search: { id, sandbox: picked === 'true' ? picked : undefined } })
            }
          />
          <CopyButton text={id}>Copy ID</CopyButton>
        </div>
      </Head>
      <Totals user={user} />
      <Line key={JSON.stringify(user)} user={user} />
    </>
  );
}

function Totals({ user }: { user: User }) {
  const { data, error, retry } = useSums(user);
  const money = data === undefined ? [] : toMoney(data.sums);
  return (
    <dl className="mt-4 grid grid-cols-4 border-t border-line max-phone:grid-cols-2">
      <Count kind="install" list="installs" name="Installs" user={user} />
      <Count kind="open" list="opens" name="Opens" user={user} />
      <Count kind="event" list="events" name="Events" user={user} />
      <Total name="Revenue">
        {error !== null && (
          <span className="meta block font-normal">
            {error.message}{' '}
            <button type="button" className="link" onClick={retry}>
              Try again
            </button>
          </span>
        )}
        {data !== undefined && money.length === 0 && '0'}
        {money.map((sum) => (
          <span key={sum.currency} className="block">
            {formatMoney(sum)}
          </span>
        ))}
        {data?.last != null && (
          <span className="meta block font-normal tracking-normal">
            of the last {formatCount(data.last)} events with revenue
          </span>
        )}
      </Total>
    </dl>
  );
}

function Count({
  kind,
  list,
  name,
  user: { id, isSandbox },
}: {
  kind: RecordKind;
  list: 'installs' | 'opens' | 'events';
  name: string;
  user: User;
}) {
  const { appId } = route.useParams();
  const search: RecordSearch = { userId: id, ...(isSandbox && { sandbox: 'true' }) };
  const { text } = useTotal(list, search);
  return (
    <Total name={name} kind={kind}>
      {text !== null && (
        <Link to={`/$appId/${list}`} params={{ appId }} search={search} className="hover:underline">
          {text.split(' ')[0]}
        </Link>
      )}
    </Total>
  );
}

function Total({ name, kind, children }: { name: string; kind?: RecordKind; children: ReactNode }) {
  return (
    <div className="min-w-0 py-3 pr-4">
      <dt className="flex items-center gap-1.5 text-ink-2">
        {kind !== undefined && <Mark kind={kind} />}
        {name}
      </dt>
      <dd className="min-h-8 text-figure font-semibold tracking-[-.02em] break-words">{children}</dd>
    </div>
  );
}

function Line({ user }: { user: User }) {
  const { moments, isLoading, error, retry, showOlder, isReadingOlder } = useTimeline(user);
  if (moments.length === 0 && error !== null) return <Failure error={error} retry={retry} />;
  return (
    <Section title="In order of time">
      <p className="meta pt-2">What a phone did while nobody was signed in is on the page of its install.</p>
      {isLoading ? <Loading rows={8} /> : moments.length === 0 && <Nobody user={user} />}
      <ol className="pt-2">
        {moments.map((moment) => (
          <Row key={`${moment.kind} ${moment.record.id}`} moment={moment} />
        ))}
      </ol>
      {error !== null && moments.length > 0 && <Failure error={error} retry={retry} />}
      {showOlder !== null && (
        <button type="button" className="btn mt-3" aria-disabled={isReadingOlder} onClick={showOlder}>
          {isReadingOlder ? 'Reading …' : 'Show older ones'}
        </button>
      )}
    </Section>
  );
}

function Nobody({ user: { id, isSandbox } }: { user: User }) {
  const { appId } = route.useParams();
  return (
    <Empty title={`No ${isSandbox ? 'sandbox' : 'live'} records name this user`}>
      <p className="text-ink-2">
        A user ID must be written exactly as the app sends it. Records of a person who was erased name them no
        more.
      </p>
      <Link
        to="/$appId/user"
        params={{ appId }}
        search={{ id, sandbox: isSandbox ? undefined : 'true' }}
        className="btn"
      >
        Look at {isSandbox ? 'live' : 'sandbox'} data
      </Link>
    </Empty>
  );
}
