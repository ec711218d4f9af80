import type { QueryClient } from '@tanstack/react-query';
import { createRouter } from '@tanstack/react-router';
import { appRoutes } from './routes/app.ts';
import { doorRoutes } from './routes/doors.ts';
import { root } from './routes/root.ts';
import { Failed } from './screens/frame/failed.tsx';
import { parseSearch, stringifySearch } from './search.ts';

const routeTree = root.addChildren([...doorRoutes, appRoutes]);

export function createConsoleRouter(queries: QueryClient) {
  return createRouter({
    routeTree,
    context: { queries },
    basepath: new URL(document.baseURI).pathname,
    parseSearch,
    stringifySearch,
    defaultErrorComponent: Failed,
    scrollRestoration: true,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
  interface HistoryState {
    /** The user chose to sign out. */
    isAsked?: boolean;
  }
}
