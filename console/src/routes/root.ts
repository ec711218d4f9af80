/** Around every address. */
import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, lazyRouteComponent, Outlet } from '@tanstack/react-router';

interface Context {
  readonly queries: QueryClient;
}

export const root = createRootRouteWithContext<Context>()({
  component: Outlet,
  notFoundComponent: lazyRouteComponent(() => import('../screens/frame/no-page.tsx'), 'Nowhere'),
});
