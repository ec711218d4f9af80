/** The places of the console, in the order of the menu. */
import type { LinkProps } from '@tanstack/react-router';

export interface Place {
  readonly to: NonNullable<LinkProps['to']>;
  readonly name: string;
  /** Behind `g`, goes there. */
  readonly key: string;
}

export const PLACES: readonly { readonly name: string | null; readonly places: readonly Place[] }[] = [
  {
    name: null,
    places: [{ to: '/$appId', name: 'Overview', key: 'o' }],
  },
  {
    name: 'Records',
    places: [
      { to: '/$appId/links', name: 'Links', key: 'l' },
      { to: '/$appId/installs', name: 'Installs and opens', key: 'i' },
      { to: '/$appId/clicks', name: 'Clicks', key: 'c' },
      { to: '/$appId/events', name: 'Events', key: 'e' },
    ],
  },
];
