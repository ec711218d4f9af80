/** The addresses outside of any app. */
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { isNew } from '../api/beginning.ts';
import { sessionQuery, signOut } from '../api/session.ts';
import { lastApp } from '../components/last-app.ts';
import { only } from '../search.ts';
import { root } from './root.ts';

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  // The service leads here after a sign-in that the provider refused.
  validateSearch: only('error', 'next'),
  beforeLoad: async ({ context, search }) => {
    const session = await context.queries.ensureQueryData(sessionQuery);
    if (session === null) throw redirect({ to: '/sign-in', search });
    const app = session.apps.find(({ id }) => id === lastApp()) ?? session.apps[0];
    if (app === undefined) throw redirect({ to: '/no-app' });
    // Where it cannot be told, the page says why.
    const toSetUp = await isNew(context.queries, app.id).catch(() => false);
    throw redirect({ to: toSetUp ? '/$appId/set-up' : '/$appId', params: { appId: app.id } });
  },
});
const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: only('next', 'error'),
  component: lazyRouteComponent(() => import('../screens/sign-in/sign-in.tsx'), 'SignIn'),
});
/** A page of its own, so that it is left like any other: with a question where edits are not saved. */
const signingOut = createRoute({
  getParentRoute: () => root,
  path: '/sign-out',
  beforeLoad: async ({ context, location }) => {
    // Another site's link ends no session.
    if (location.state.isAsked !== true) throw redirect({ to: '/' });
    await signOut();
    context.queries.clear();
    throw redirect({ to: '/sign-in' });
  },
});
const setup = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  component: lazyRouteComponent(() => import('../screens/sign-in/setup.tsx'), 'Setup'),
});
const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitation',
  component: lazyRouteComponent(() => import('../screens/sign-in/invitation.tsx'), 'Invitation'),
});
const passwordReset = createRoute({
  getParentRoute: () => root,
  path: '/password-reset',
  component: lazyRouteComponent(() => import('../screens/sign-in/password-reset.tsx'), 'PasswordReset'),
});
const noApp = createRoute({
  getParentRoute: () => root,
  path: '/no-app',
  component: lazyRouteComponent(() => import('../screens/sign-in/no-app.tsx'), 'NoApp'),
});

export const doorRoutes = [home, signIn, signingOut, setup, invitation, passwordReset, noApp] as const;
