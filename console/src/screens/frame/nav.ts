/** The places of the console, in the order of the menu. */
import type { LinkProps } from '@tanstack/react-router';
import type { User } from '../../api/session.ts';

interface Place {
  readonly to: NonNullable<LinkProps['to']>;
  readonly name: string;
  /** Behind `g`, goes there. */
  readonly key: string;
}

interface Group {
  readonly name: string | null;
  readonly places: readonly Place[];
}

export function groupsOf({ isOperator }: User): readonly Group[] {
  return isOperator ? [...OF_APP, OF_SERVICE] : OF_APP;
}

const OF_SERVICE: Group = {
  name: 'Service',
  places: [{ to: '/$appId/operator', name: 'Operator', key: 'h' }],
};

const OF_APP: readonly Group[] = [
  {
    name: null,
    places: [
      { to: '/$appId', name: 'Overview', key: 'o' },
      { to: '/$appId/live', name: 'Live', key: 'v' },
    ],
  },
  {
    name: 'Records',
    places: [
      { to: '/$appId/links', name: 'Links', key: 'l' },
      { to: '/$appId/installs', name: 'Installs and opens', key: 'i' },
      { to: '/$appId/clicks', name: 'Clicks', key: 'c' },
      { to: '/$appId/events', name: 'Events', key: 'e' },
      { to: '/$appId/retention', name: 'Retention', key: 'r' },
      { to: '/$appId/costs', name: 'Costs', key: 'm' },
    ],
  },
  {
    name: 'Delivery',
    places: [
      { to: '/$appId/webhooks', name: 'Webhooks', key: 'w' },
      { to: '/$appId/destinations', name: 'Destinations', key: 'd' },
      { to: '/$appId/postbacks', name: 'Postbacks', key: 'b' },
    ],
  },
  {
    name: 'App',
    places: [
      { to: '/$appId/set-up', name: 'Set-up', key: 'u' },
      { to: '/$appId/accuracy', name: 'Accuracy', key: 'y' },
      { to: '/$appId/privacy', name: 'Privacy', key: 'p' },
      { to: '/$appId/team', name: 'Team', key: 't' },
      { to: '/$appId/keys', name: 'Keys', key: 'k' },
      { to: '/$appId/audit-log', name: 'Audit log', key: 'a' },
      { to: '/$appId/settings', name: 'Settings', key: 's' },
    ],
  },
];
