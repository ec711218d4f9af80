import type { EventType } from '../webhook.ts';
import type { Format } from './values.ts';

/** How an event is shown. Its first two fields with a value form the summary. */
export interface Layout {
  readonly title: string;
  readonly color: string;
  readonly fields: readonly (readonly [key: string, label: string, format?: Format])[];
}

/** Colours are defaults: `#` and six hex digits in lower case. */
export const LAYOUTS: Readonly<Record<EventType, Layout>> = {
  'install.attributed': {
    title: 'Install attributed',
    color: '#16a34a',
    fields: [
      ['appName', 'App'],
      ['campaignId', 'Campaign'],
      ['platform', 'Platform', 'platform'],
      ['method', 'Method'],
      ['confidence', 'Confidence'],
      ['shortCode', 'Short code'],
      ['deepLinkPath', 'Deep link path'],
      ['clickedAt', 'Clicked at', 'time'],
      ['installId', 'Install ID'],
    ],
  },
  'install.organic': {
    title: 'Organic install',
    color: '#6b7280',
    fields: [
      ['appName', 'App'],
      ['platform', 'Platform', 'platform'],
      ['deviceModel', 'Device model'],
      ['osVersion', 'OS version'],
      ['locale', 'Locale'],
      ['installId', 'Install ID'],
    ],
  },
  'install.network_attributed': {
    title: 'Install claimed by an ad network',
    color: '#ea580c',
    fields: [
      ['appName', 'App'],
      ['name', 'Network', 'network'],
      ['campaignName', 'Campaign'],
      ['campaignId', 'Campaign ID'],
      ['adGroupName', 'Ad group'],
      ['adGroupId', 'Ad group ID'],
      ['adName', 'Ad'],
      ['adId', 'Ad ID'],
      ['keywordId', 'Keyword ID'],
      ['claimType', 'Claim'],
      ['conversionType', 'Conversion'],
      ['clickedAt', 'Clicked at', 'time'],
      ['test', 'Test record', 'flag'],
      ['platform', 'Platform', 'platform'],
      ['installId', 'Install ID'],
    ],
  },
  'open.attributed': {
    title: 'Open attributed',
    color: '#2563eb',
    fields: [
      ['appName', 'App'],
      ['campaignId', 'Campaign'],
      ['method', 'Method'],
      ['confidence', 'Confidence'],
      ['shortCode', 'Short code'],
      ['deepLinkPath', 'Deep link path'],
      ['deepLinkParams', 'Deep link parameters', 'json'],
      ['openId', 'Open ID'],
    ],
  },
  'open.direct': {
    title: 'App opened by link',
    color: '#0284c7',
    fields: [
      ['appName', 'App'],
      ['campaignId', 'Campaign'],
      ['platform', 'Platform', 'platform'],
      ['shortCode', 'Short code'],
      ['deepLinkPath', 'Deep link path'],
      ['deepLinkParams', 'Deep link parameters', 'json'],
      ['installId', 'Install ID'],
      ['openId', 'Open ID'],
    ],
  },
  'event.recorded': {
    title: 'Event recorded',
    color: '#9333ea',
    fields: [
      ['eventName', 'Event'],
      ['appName', 'App'],
      ['platform', 'Platform', 'platform'],
      ['userId', 'User ID'],
      ['properties', 'Properties', 'json'],
      ['eventId', 'Event ID'],
      ['installId', 'Install ID'],
    ],
  },
  'skan.postback_received': {
    title: 'Ad network postback received',
    color: '#f59e0b',
    fields: [
      ['appName', 'App'],
      ['ad-network-id', 'Ad network ID'],
      ['ad-network-identifier', 'Ad network ID'],
      ['campaign-id', 'Campaign ID'],
      ['source-identifier', 'Source identifier'],
      ['source-app-id', 'Source app ID'],
      ['publisher-item-identifier', 'Source app ID'],
      ['source-domain', 'Source domain'],
      ['did-win', 'Did win'],
      ['conversion-value', 'Conversion value'],
      ['coarse-conversion-value', 'Coarse conversion value'],
      ['postback-sequence-index', 'Postback sequence index'],
      ['fidelity-type', 'Fidelity type'],
      ['redownload', 'Redownload'],
      ['conversion-type', 'Conversion type'],
      ['country-code', 'Country code'],
      ['version', 'Version'],
      ['app-id', 'App Store ID'],
      ['advertised-item-identifier', 'App Store ID'],
      ['transaction-id', 'Transaction ID'],
      ['postback-identifier', 'Postback ID'],
    ],
  },
  'host.problem': {
    title: 'Problem of a short link host',
    color: '#dc2626',
    fields: [
      ['host', 'Host'],
      ['message', 'Problem'],
      ['mend', 'What to do'],
      ['appName', 'App'],
      ['check', 'Check'],
      ['since', 'Since', 'time'],
    ],
  },
  'host.recovered': {
    title: 'Short link host in order again',
    color: '#16a34a',
    fields: [
      ['host', 'Host'],
      ['message', 'Now'],
      ['appName', 'App'],
      ['check', 'Check'],
      ['since', 'Problem since', 'time'],
    ],
  },
  'test.webhook': {
    title: 'Test webhook',
    color: '#64748b',
    fields: [
      ['message', 'Message'],
      ['appName', 'App'],
      ['appId', 'App ID'],
      ['webhookId', 'Webhook ID'],
    ],
  },
};
