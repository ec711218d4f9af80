import { Link } from '@tanstack/react-router';
import { use } from 'react';
import { AppContext } from '../api/app-context.ts';

/** The ID of a user, which leads to the page with all records of theirs. */
export function ToUser({
  userId,
  isSandbox,
  className = 'link',
}: {
  userId: string;
  isSandbox: boolean;
  className?: string;
}) {
  const { app } = use(AppContext);
  return (
    <Link
      to="/$appId/user"
      params={{ appId: app.id }}
      search={{ id: userId, ...(isSandbox && { sandbox: 'true' }) }}
      dir="auto"
      className={`break-all ${className}`}
    >
      {userId}
    </Link>
  );
}
