/** The addresses of an app, below its frame. Screens are loaded with their first visit. */
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { sessionQuery } from '../api/session.ts';
import { LOG_FILTERS } from '../audit/log-search.ts';
import { Frame } from '../screens/frame/frame.tsx';
import { overviewSearchOf } from '../screens/overview/overview-search.ts';
import { searchOf } from '../screens/records/record-search.ts';
import { only } from '../search.ts';
import { root } from './root.ts';

const frame = createRoute({
  getParentRoute: () => root,
  path: '/$appId',
  beforeLoad: async ({ context, params, location }) => {
    const session = await context.queries.ensureQueryData(sessionQuery);
    if (session === null) throw redirect({ to: '/sign-in', search: { next: location.href } });
    return { session, app: session.apps.find(({ id }) => id === params.appId) };
  },
  component: Frame,
  notFoundComponent: lazyRouteComponent(() => import('../screens/frame/no-page.tsx'), 'NotFound'),
});

const overview = createRoute({
  getParentRoute: () => frame,
  path: '/',
  validateSearch: overviewSearchOf,
  component: lazyRouteComponent(() => import('../screens/overview/overview.tsx'), 'Overview'),
});
const wholeList = createRoute({
  getParentRoute: () => frame,
  path: 'lists/$list',
  validateSearch: (search: Record<string, unknown>) => ({
    ...overviewSearchOf(search),
    ...only('q')(search),
  }),
  component: lazyRouteComponent(() => import('../screens/overview/whole-list.tsx'), 'WholeList'),
});

const links = createRoute({
  getParentRoute: () => frame,
  path: 'links',
  validateSearch: only('q', 'state', 'campaignId', 'tag', 'page', 'sort', 'order'),
  component: lazyRouteComponent(() => import('../screens/links/links.tsx'), 'Links'),
});
const newLink = createRoute({
  getParentRoute: () => frame,
  path: 'links/new',
  validateSearch: only('from', 'address'),
  component: lazyRouteComponent(() => import('../screens/links/new-link.tsx'), 'NewLink'),
});
const imports = createRoute({
  getParentRoute: () => frame,
  path: 'links/import',
  validateSearch: only('source', 'before'),
  component: lazyRouteComponent(() => import('../screens/imports/imports.tsx'), 'Imports'),
});
const oneImport = createRoute({
  getParentRoute: () => frame,
  path: 'links/import/$importId',
  component: lazyRouteComponent(() => import('../screens/imports/import.tsx'), 'ImportPage'),
});
const link = createRoute({
  getParentRoute: () => frame,
  path: 'links/$shortCode',
  component: lazyRouteComponent(() => import('../screens/links/link.tsx'), 'LinkPage'),
});
const editLink = createRoute({
  getParentRoute: () => frame,
  path: 'links/$shortCode/edit',
  component: lazyRouteComponent(() => import('../screens/links/edit-link.tsx'), 'EditLink'),
});

const clicks = createRoute({
  getParentRoute: () => frame,
  path: 'clicks',
  validateSearch: searchOf('clicks'),
  component: lazyRouteComponent(() => import('../screens/records/lists.tsx'), 'Clicks'),
});
const installs = createRoute({
  getParentRoute: () => frame,
  path: 'installs',
  validateSearch: searchOf('installs'),
  component: lazyRouteComponent(() => import('../screens/records/lists.tsx'), 'Installs'),
});
const install = createRoute({
  getParentRoute: () => frame,
  path: 'installs/$installId',
  // Of the list that it was opened from, whose installs J and K go through.
  validateSearch: searchOf('installs'),
  component: lazyRouteComponent(() => import('../screens/trace/trace.tsx'), 'TracePage'),
});
const opens = createRoute({
  getParentRoute: () => frame,
  path: 'opens',
  validateSearch: searchOf('opens'),
  component: lazyRouteComponent(() => import('../screens/records/lists.tsx'), 'Opens'),
});
const events = createRoute({
  getParentRoute: () => frame,
  path: 'events',
  validateSearch: searchOf('events'),
  component: lazyRouteComponent(() => import('../screens/records/lists.tsx'), 'Events'),
});

const click = createRoute({
  getParentRoute: () => frame,
  path: 'clicks/$id',
  component: lazyRouteComponent(() => import('../screens/record/record.tsx'), 'ClickPage'),
});
const open = createRoute({
  getParentRoute: () => frame,
  path: 'opens/$id',
  component: lazyRouteComponent(() => import('../screens/record/record.tsx'), 'OpenPage'),
});
const event = createRoute({
  getParentRoute: () => frame,
  path: 'events/$id',
  component: lazyRouteComponent(() => import('../screens/record/record.tsx'), 'EventPage'),
});
const user = createRoute({
  getParentRoute: () => frame,
  // Not in the path: IDs of users are any text, also `..` and slashes, which browsers and proxies would take for more.
  path: 'user',
  validateSearch: only('id', 'sandbox'),
  component: lazyRouteComponent(() => import('../screens/user/user.tsx'), 'UserPage'),
});

const retention = createRoute({
  getParentRoute: () => frame,
  path: 'retention',
  validateSearch: only('days', 'from', 'to', 'by', 'group', 'key', 'sandbox'),
  component: lazyRouteComponent(() => import('../screens/retention/retention.tsx'), 'Retention'),
});

const costs = createRoute({
  getParentRoute: () => frame,
  path: 'costs',
  validateSearch: only('campaignId', 'network', 'networkCampaignId', 'from', 'to', 'before'),
  component: lazyRouteComponent(() => import('../screens/costs/costs.tsx'), 'Costs'),
});
const uploadCosts = createRoute({
  getParentRoute: () => frame,
  path: 'costs/upload',
  component: lazyRouteComponent(() => import('../screens/costs/upload.tsx'), 'UploadCosts'),
});

const live = createRoute({
  getParentRoute: () => frame,
  path: 'live',
  validateSearch: only('shortCode', 'sandbox'),
  component: lazyRouteComponent(() => import('../screens/live/live.tsx'), 'Live'),
});
const webhooks = createRoute({
  getParentRoute: () => frame,
  path: 'webhooks',
  validateSearch: only('tab', 'webhookId', 'type', 'failed', 'before', 'id'),
  component: lazyRouteComponent(() => import('../screens/webhooks/webhooks.tsx'), 'Webhooks'),
});
const destinations = createRoute({
  getParentRoute: () => frame,
  path: 'destinations',
  component: lazyRouteComponent(() => import('../screens/destinations/destinations.tsx'), 'Destinations'),
});
const newDestination = createRoute({
  getParentRoute: () => frame,
  path: 'destinations/new',
  validateSearch: only('type'),
  component: lazyRouteComponent(
    () => import('../screens/destinations/new-destination.tsx'),
    'NewDestination',
  ),
});
const destination = createRoute({
  getParentRoute: () => frame,
  path: 'destinations/$destinationId',
  validateSearch: only('before', 'failed'),
  component: lazyRouteComponent(() => import('../screens/destinations/destination.tsx'), 'DestinationPage'),
});
const editDestination = createRoute({
  getParentRoute: () => frame,
  path: 'destinations/$destinationId/edit',
  component: lazyRouteComponent(
    () => import('../screens/destinations/edit-destination.tsx'),
    'EditDestination',
  ),
});
const postbacks = createRoute({
  getParentRoute: () => frame,
  path: 'postbacks',
  validateSearch: only('verdict', 'before'),
  component: lazyRouteComponent(() => import('../screens/postbacks/postbacks.tsx'), 'Postbacks'),
});
const setUp = createRoute({
  getParentRoute: () => frame,
  path: 'set-up',
  component: lazyRouteComponent(() => import('../screens/set-up/set-up.tsx'), 'SetUp'),
});
const accuracy = createRoute({
  getParentRoute: () => frame,
  path: 'accuracy',
  validateSearch: only('platform'),
  component: lazyRouteComponent(() => import('../screens/accuracy/accuracy.tsx'), 'Accuracy'),
});
const privacy = createRoute({
  getParentRoute: () => frame,
  path: 'privacy',
  component: lazyRouteComponent(() => import('../screens/privacy/privacy.tsx'), 'Privacy'),
});
const team = createRoute({
  getParentRoute: () => frame,
  path: 'team',
  component: lazyRouteComponent(() => import('../screens/team/team.tsx'), 'Team'),
});
const keys = createRoute({
  getParentRoute: () => frame,
  path: 'keys',
  component: lazyRouteComponent(() => import('../screens/keys/keys.tsx'), 'Keys'),
});
const auditLog = createRoute({
  getParentRoute: () => frame,
  path: 'audit-log',
  validateSearch: only(...LOG_FILTERS),
  component: lazyRouteComponent(() => import('../screens/audit/audit.tsx'), 'AuditLog'),
});
const settings = createRoute({
  getParentRoute: () => frame,
  path: 'settings',
  component: lazyRouteComponent(() => import('../screens/settings/settings.tsx'), 'Settings'),
});

const ownAccount = createRoute({
  getParentRoute: () => frame,
  path: 'account',
  component: lazyRouteComponent(() => import('../screens/account/account.tsx'), 'AccountPage'),
});

const operator = createRoute({
  getParentRoute: () => frame,
  path: 'operator',
  validateSearch: only('tab', ...LOG_FILTERS),
  component: lazyRouteComponent(() => import('../screens/operator/operator.tsx'), 'Operator'),
});

export const appRoutes = frame.addChildren([
  ...[overview, wholeList, links, newLink, imports, oneImport, link, editLink],
  ...[clicks, click, installs, install, opens, open, events, event, user, retention, costs, uploadCosts],
  ...[live, webhooks, destinations, newDestination, destination, editDestination, postbacks],
  ...[setUp, accuracy, privacy, team, keys, auditLog, settings, operator, ownAccount],
]);
