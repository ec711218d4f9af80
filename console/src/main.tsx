import './styles/main.css';
import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { mayRetry } from './api/use-read.ts';
import { createConsoleRouter } from './router.ts';

const queries = new QueryClient({
  defaultOptions: { queries: { retry: mayRetry, staleTime: 10_000 } },
});
const router = createConsoleRouter(queries);
// The code of the screen comes while the session is read. A failure shows when the screen does.
const [, , screen] = router.getMatchedRoutes(router.latestLocation.pathname);
if (screen !== undefined) router.loadRouteChunk(screen)?.catch(() => undefined);
const root = document.getElementById('root');
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <CSPProvider disableStyleElements>
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </CSPProvider>
    </StrictMode>,
  );
