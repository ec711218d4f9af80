import type { Client } from '@generated/client/index.ts';
import { createContext, use } from 'react';
import { account } from './client.ts';
import type { AppOfUser, Role, User } from './session.ts';

export interface AppInUse {
  readonly app: AppOfUser;
  readonly user: User;
  readonly client: Client;
}

/** The app that the address names. */
export const AppContext = createContext<AppInUse>({
  app: { id: '', name: '', role: 'viewer' },
  user: {
    id: '',
    email: '',
    name: '',
    isOperator: false,
    isEmailProven: false,
    createdAt: '',
    lastUsedAt: null,
    disabledAt: null,
  },
  client: account,
});

const RANKS: Readonly<Record<Role, number>> = { viewer: 0, editor: 1, owner: 2 };

/** Whether the user's role in the app includes this one. */
export function useMay(role: Role): boolean {
  return RANKS[use(AppContext).app.role] >= RANKS[role];
}
