import type { AppMember } from '@generated/types.gen.ts';
import { use } from 'react';
import { AppContext } from '../../api/app-context.ts';
import { useRenewSession } from '../../api/renew-session.ts';
import { useRefresh } from '../../api/use-read.ts';

/** After a change of a member, who may be the user: then what the session may has changed, too. */
export function useRefreshTeam({ id }: AppMember): () => Promise<void> {
  const { user } = use(AppContext);
  const refresh = useRefresh();
  const renew = useRenewSession();
  return async () => {
    if (id === user.id) await renew();
    await Promise.all([refresh('users'), refresh('invitations'), refresh('keys')]);
  };
}
