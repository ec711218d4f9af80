/** What both native halves make of the same values: the shapes of core, with null where core has null. */
import type { Attribution, CreatedLink, DeepLink, Explanation, LogEntry } from '../../core/src/index.ts';

const LINK: DeepLink = {
  path: '/shoes/42',
  params: { size: 43, sale: true, note: null, tags: ['a', 1.5] },
  url: null,
  deferred: true,
  campaignId: 'spring',
  method: 'FINGERPRINT',
  confidence: 0.75,
};

const FULL: DeepLink = {
  path: '/',
  params: {},
  url: 'https://go.example.com/l/abc',
  deferred: false,
  campaignId: null,
  method: 'DIRECT',
  confidence: null,
  unresolved: true,
  correctionOf: 'https://go.example.com/l/abc',
  minAppVersion: { ios: '2.0', android: '2.1' },
  metadata: { invitedBy: 'install-1' },
  updateRequired: true,
};

const FIRST_OPEN: Attribution = {
  pending: false,
  attributed: true,
  method: 'FINGERPRINT',
  installId: 'install-2',
  clickId: 'click-1',
  campaignId: 'spring',
  confidence: 0.75,
  link: LINK,
  metadata: {},
};

export const SHAPES: {
  readonly link: DeepLink;
  readonly full: DeepLink;
  readonly firstOpen: Attribution;
  readonly pending: Attribution;
  readonly explanation: Explanation;
  readonly created: CreatedLink;
  readonly entry: LogEntry;
} = {
  link: LINK,
  full: FULL,
  firstOpen: FIRST_OPEN,
  pending: {
    ...{ pending: true, attributed: false, method: 'ORGANIC', installId: null, clickId: null },
    ...{ campaignId: null, confidence: null, link: null, metadata: {} },
  },
  explanation: {
    ...{
      installId: 'install-2',
      consent: 'deterministic-only',
      firstOpen: FIRST_OPEN,
      reason: 'It matched.',
    },
    ...{ trace: null, queuedEvents: 2, droppedEvents: 1 },
  },
  created: { shortCode: 'abc', shortUrl: 'https://go.example.com/l/abc' },
  entry: { level: 'warn', message: 'Slow' },
};
