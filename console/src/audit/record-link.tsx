import type { AuditResource } from '@generated/types.gen.ts';
import { Link } from '@tanstack/react-router';
import { use } from 'react';
import { AppContext } from '../api/app-context.ts';

const SCREENS = {
  app: '/$appId/settings',
  key: '/$appId/keys',
  user: '/$appId/team',
  webhook: '/$appId/webhooks',
  destination: '/$appId/destinations',
} as const;

/** What an entry is about; leads there while it exists. */
export function RecordLink({
  resource: { type, name, exists },
  text,
}: {
  resource: AuditResource;
  text: string;
}) {
  const { app } = use(AppContext);
  const params = { appId: app.id };
  if (exists && type === 'link' && name !== null)
    return (
      <Link className="link" to="/$appId/links/$shortCode" params={{ ...params, shortCode: name }}>
        {text}
      </Link>
    );
  const to = type in SCREENS ? SCREENS[type as keyof typeof SCREENS] : undefined;
  if (!exists || to === undefined) return <b className="font-semibold">{text}</b>;
  return (
    <Link className="link" to={to} params={params}>
      {text}
    </Link>
  );
}
