/** Fields of a link, as a table of links names them. */
const FIELD_NAMES: Readonly<Record<string, string>> = {
  shortUrl: 'Short link',
  path: 'Path of the short link',
  host: 'Host of the short link',
  fallbackUrl: 'Destination',
  deepLinkPath: 'Path in the app',
  deepLinkParams: 'Parameters for the app (JSON)',
  iosDestination: 'Destination on iOS',
  androidDestination: 'Destination on Android',
  title: 'Title',
  tags: 'Tags',
  campaignId: 'Campaign',
  importedClicks: 'Clicks so far',
  createdAt: 'Made on',
  expiresAt: 'End',
  expiredUrl: 'Destination after the end',
  password: 'Password (such links fail)',
  banned: 'Blocked (such links fail)',
  clicksLimit: 'Limit of clicks',
  archived: 'Archived',
  ogTitle: 'Title of the card',
  ogDescription: 'Text of the card',
  ogImage: 'Picture of the card',
  id: 'ID at the service',
};

export function fieldName(field: string): string {
  return FIELD_NAMES[field] ?? field;
}
