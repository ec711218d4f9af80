import { Link, useParams } from '@tanstack/react-router';
import { shortId } from '../formats.ts';
import { Time } from './time.tsx';

export function ToInstall({ installId, at }: { installId: string; at?: string }) {
  const { appId } = useParams({ from: '/$appId' });
  return (
    <Link to="/$appId/installs/$installId" params={{ appId, installId }} className="link">
      {at === undefined ? <code>{shortId(installId)}</code> : <Time at={at} />}
    </Link>
  );
}
