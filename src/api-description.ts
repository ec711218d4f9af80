import type { ApiDescription } from './server/openapi.ts';

/** What the OpenAPI document says of the API as a whole. */
export const API: ApiDescription = {
  info: {
    title: 'Throughline',
    description:
      'Mobile attribution and deep links. Every error has the one field `error`; its code is in X-Service-Error.',
    // Of the API, as in its paths; `throughline --version` prints the release.
    version: '1',
  },
  tags: [
    { name: 'Links', description: 'Short links with a deep link payload' },
    { name: 'Hosts', description: 'The hosts of short links, looked at each day' },
    { name: 'Records', description: 'Lists, exports and a stream of clicks, installs, opens and events' },
    {
      name: 'Statistics',
      description:
        'Numbers by period, source and link. Countries: IP Geolocation by DB-IP, https://db-ip.com',
    },
    { name: 'Redirect', description: 'Short links in a browser' },
    { name: 'Association', description: 'Files by which phones open short links in the app' },
    { name: 'SDK', description: 'Installs, opens and events, from the app' },
    { name: 'Installs', description: 'Recorded installs and the reason of their attribution' },
    { name: 'Debug', description: 'Attribution without recording anything' },
    { name: 'Webhooks', description: 'Webhooks, and their deliveries' },
    { name: 'Destinations', description: 'Where records go as they are recorded, and what became of them' },
    { name: 'Postbacks', description: 'Of iOS ad networks, with Apple’s signature' },
    { name: 'Integrations', description: 'What other services tell' },
    { name: 'Privacy', description: 'Export and erasure of a person’s records' },
    { name: 'Audit log', description: 'Privacy requests, abandoned deliveries and changes of settings' },
    { name: 'Accounts', description: 'Users of the console: sessions, roles and invitations' },
    { name: 'Admin', description: 'Apps and their keys' },
    { name: 'Server', description: 'Health and metrics' },
  ],
};
