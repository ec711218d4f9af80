import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Refusal } from '../../components/pane.tsx';
import { formatBytes, formatShare } from '../../formats.ts';
import type { Sending } from './use-send.ts';

const route = getRouteApi('/$appId');

/** How far a file is on its way, and why it did not arrive. */
export function SendingState({ sending, bytes }: { sending: Sending; bytes: number }) {
  const { appId } = route.useParams();
  const { share, error, cancel } = sending;
  useEffect(() => {
    if (share === null) return;
    const askToStay = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', askToStay);
    return () => removeEventListener('beforeunload', askToStay);
  }, [share]);
  if (share !== null)
    return (
      <div className="grid max-w-[560px] gap-2">
        <progress className="w-full accent-accent" aria-label="Sent" value={share} max={1} />
        <div className="flex flex-wrap items-center gap-3">
          <p role="status" className="tabular-nums">
            {share < 1
              ? `${formatShare(share, 0)} of ${formatBytes(bytes)} sent. Stay on this page until all of it is.`
              : 'Sent. The service takes it in.'}
          </p>
          <button type="button" className="btn" onClick={cancel}>
            Cancel
          </button>
        </div>
      </div>
    );
  if (error?.code !== 'import.running') return <Refusal error={error} />;
  return (
    <div className="note" role="alert">
      <b>Another import is running</b>
      <p>
        An app has one at a time. Wait until it has ended, then press again.{' '}
        <Link to="/$appId/links/import" params={{ appId }} hash="imports" className="link">
          See how far it is
        </Link>
      </p>
    </div>
  );
}
