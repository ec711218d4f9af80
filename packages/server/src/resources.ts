/** The operations of the API by noun, each with the summary of docs/api/openapi.json. */
import { randomUUID } from 'node:crypto';
import * as api from './generated/sdk.gen.ts';
import type { ReadStatsData, Stats } from './generated/types.gen.ts';
import type { CallOptions, Methods } from './methods.ts';
import { pagesByOffset, pagesByRecord } from './pages.ts';

export const links = ({ call, create }: Methods) =>
  Object.assign(pagesByOffset(call(api.listLinks, 'query')), {
    /** Create a link */
    create: create(api.createLink),
    /** Read a link */
    get: call(api.readLink, 'shortCode', 'query'),
    /** Change a link; only included fields change, null clears */
    update: call(api.updateLink, 'shortCode', 'body'),
    /** Delete a link; its code stops redirecting and is never used again */
    delete: call(api.deleteLink, 'shortCode'),
    /** Create up to 500 links; one that is refused spoils no other */
    createMany: create(api.createLinks),
    /** Change up to 500 links; one that is refused spoils no other */
    updateMany: call(api.updateLinks, 'body'),
    /** Delete up to 500 links; their codes stop redirecting and are never used again */
    deleteMany: call(api.deleteLinks, 'body'),
    /** List the tags of the links, with how many links have each */
    tags: call(api.listTags),
    /** Get the QR code of a link’s short URL as PNG or SVG */
    qr: call(api.drawQrCode, 'shortCode', 'query'),
    /** Responses that visitors of a link get, and problems found; records no click */
    diagnose: call(api.diagnoseLink, 'shortCode'),
    /** Count a link’s clicks, installs, opens and events by day, platform, method and campaign */
    stats: call(api.readLinkStats, 'shortCode', 'query'),
  });

export const imports = ({ call, upload }: Methods) =>
  Object.assign(pagesByRecord(call(api.listImports, 'query')), {
    /** Import links from a file of another service */
    start: upload(api.startImport),
    /** Read an import: its progress, and what became of its rows */
    get: call(api.readImport, 'id'),
    /** End a running import */
    end: call(api.endImport, 'id'),
    /** Get what became of each row, as CSV */
    rows: call(api.listImportRows, 'id'),
    /** Get the failed rows in the source’s own columns, each with its line and the reason, as CSV */
    failures: call(api.listImportFailures, 'id'),
  });

export const records = ({ call }: Methods) => ({
  clicks: Object.assign(pagesByRecord(call(api.listClicks, 'query')), {
    /** Read one of the clicks, as in their list */
    get: call(api.readClick, 'id'),
  }),
  installs: Object.assign(pagesByRecord(call(api.listInstalls, 'query')), {
    /** Read an install and its opens, with the reasons of their attribution */
    get: call(api.readInstall, 'installId'),
    /** List the installs that came by links of an install, newest first */
    invitations: call(api.listInvitedInstalls, 'installId', 'query'),
    /** Delete an install with its opens and events; the click it claimed can be claimed again */
    delete: call(api.deleteInstall, 'installId'),
    /** Delete forged installs with their opens and events */
    deleteForged: call(api.deleteInstalls, 'body'),
  }),
  opens: Object.assign(pagesByRecord(call(api.listOpens, 'query')), {
    /** Read one of the opens, as in their list */
    get: call(api.readOpen, 'id'),
  }),
  events: Object.assign(pagesByRecord(call(api.listEvents, 'query')), {
    /** Read one of the events, as in their list */
    get: call(api.readEvent, 'id'),
  }),
  auditLog: pagesByRecord(call(api.listAuditLog, 'query')),
  /** Find what an id, a user, a short code, a title, a tag or a campaign leads to */
  search: call(api.search, 'query'),
});

export const debug = ({ withKey }: Methods) => ({
  /** Match without recording or claiming anything */
  attribution: withKey(api.debugAttribution),
});

type StatsQuery = NonNullable<ReadStatsData['query']>;
type DefaultStats = Stats & Required<Pick<Stats, 'totals' | 'previous' | 'series' | 'groups' | 'other'>>;

/** An answer has every part but `previousSeries`; with `include` those that it names. */
interface GetStats {
  (query?: Omit<StatsQuery, 'include'> & { include?: never }, options?: CallOptions): Promise<DefaultStats>;
  (query: StatsQuery, options?: CallOptions): Promise<Stats>;
}

export const numbers = ({ call }: Methods) => ({
  stats: {
    /** Count an app’s clicks, installs, opens, events and revenue */
    get: call(api.readStats, 'query') as GetStats,
    /** Count the installs of each day that were active on the 30 days after it */
    retention: call(api.readRetention, 'query'),
    /** Measure how right the fingerprint is, on installs with a certain match */
    accuracy: call(api.readAccuracy, 'query'),
  },
  costs: Object.assign(pagesByRecord(call(api.listCosts, 'query')), {
    /** Store what was spent on campaigns, by day; a cost replaces the former one */
    store: call(api.storeCosts, 'body'),
    /** Delete a cost */
    delete: call(api.deleteCost, 'id'),
    /** Delete the costs of days, of a campaign or network, or both */
    deleteMany: call(api.deleteCosts, 'query'),
  }),
  revenuecat: {
    /** Read what RevenueCat has sent */
    get: call(api.readRevenueCat),
  },
  hosts: {
    /** List the hosts of the app’s short links, with what the last look found */
    list: call(api.listHosts),
    /** Look at the hosts of the app’s short links now */
    check: call(api.checkHosts),
  },
  fraud: {
    /** Report links whose clicks look forged: too few or too many installs, or clicks from one network */
    links: call(api.reportLinks, 'query'),
  },
});

export const webhooks = ({ call, create }: Methods) => ({
  /** List all webhooks, newest first */
  list: call(api.listWebhooks),
  /** Create a webhook */
  create: create(api.createWebhook),
  /** Read a webhook and how it fares */
  get: call(api.readWebhook, 'webhookId'),
  /** Change a webhook; null leaves a field as it is */
  update: call(api.updateWebhook, 'webhookId', 'body'),
  /** Delete a webhook and its pending deliveries */
  delete: call(api.deleteWebhook, 'webhookId'),
  /** Send test.webhook once, immediately; needs the secret live key */
  test: call(api.testWebhook, 'webhookId'),
  /** Send again every message since a time that no attempt delivered, the oldest first */
  recover: call(api.recoverWebhook, 'webhookId', 'body'),
  /** List the chat platforms with a message template */
  templates: call(api.listWebhookTemplates),
  deliveries: Object.assign(pagesByRecord(call(api.listDeliveries, 'query')), {
    /** Send a delivery again, with the same bytes, in the background */
    redeliver: call(api.redeliver, 'attemptId'),
  }),
});

export const destinations = ({ call, create }: Methods) => ({
  /** List all destinations, newest first */
  list: call(api.listDestinations),
  /** Create a destination, which gets the records of the app as they are recorded */
  create: create(api.createDestination),
  /** Read a destination and how it fares */
  get: call(api.readDestination, 'destinationId'),
  /** Change a destination */
  update: call(api.updateDestination, 'destinationId', 'body'),
  /** Delete a destination and what waits for it */
  delete: call(api.deleteDestination, 'destinationId'),
  /** List the types of destinations, with their fields and limits */
  types: call(api.listDestinationTypes),
  /** Show the request that a record would become, with secrets masked */
  preview: call(api.previewDestination, 'destinationId', 'body'),
  /** Send one record at once, marked as a test where the network can */
  test: call(api.testDestination, 'destinationId', 'body'),
  /** Send again every batch since a time that no attempt delivered, the oldest first */
  recover: call(api.recoverDestination, 'destinationId', 'body'),
  deliveries: {
    /** List attempts to send batches of records, newest first */
    list: call(api.listDestinationDeliveries, 'destinationId', 'query'),
    /** Send the records of a batch again, as they are now, in the background */
    redeliver: call(api.redeliverBatch, 'attemptId'),
  },
});

export const skadnetwork = ({ call }: Methods) => ({
  postbacks: Object.assign(pagesByRecord(call(api.listPostbacks, 'query')), {
    /** Receive a copy of a postback, of either framework, that an ad network forwards */
    copy: call(api.copyPostback, 'body'),
    /** Count verified postbacks by day, source identifier or campaign, and conversion value */
    summarize: call(api.summarizePostbacks, 'query'),
  }),
  conversionValues: {
    /** Read the names of conversion values */
    get: call(api.readConversionValues),
    /** Replace the names of conversion values; stored postbacks use them too */
    set: call(api.setConversionValues, 'body'),
  },
});

export const privacy = ({ call }: Methods) => ({
  /** Erase a person’s data, by IP address, user ID or both, or count what that would erase */
  erase: call(api.erasePerson, 'body'),
  /** List erasure requests, newest first */
  listErasures: call(api.listErasures, 'query'),
  /** Read for how many days records are kept */
  getRetention: call(api.readRetentionDays),
  /** Read an erasure request */
  getErasure: call(api.readErasure, 'requestId'),
  /** Export all data held for a person, by IP address, user ID or both */
  export: call(api.exportPerson, 'body'),
});

/** Records without an ID get a random one, so that a retry records them once. */
export const sdk = ({ call, record }: Methods) => ({
  /** Record an install */
  recordInstall: record(api.recordInstall, withId('installId')),
  /** Record up to 100 installs; an invalid one does not fail the others */
  recordInstalls: record(api.recordInstalls, ({ installs, ...body }) => ({
    ...body,
    installs: listOf('installs', installs).map(withId('installId')),
  })),
  /** Record a deferred deep-link open */
  recordOpen: record(api.recordOpen, withId('openId')),
  /** Record up to 100 deferred deep-link opens; an invalid one does not fail the others */
  recordOpens: record(api.recordOpens, ({ opens, ...body }) => ({
    ...body,
    opens: listOf('opens', opens).map(withId('openId')),
  })),
  /** Record an event after the install */
  recordEvent: record(api.recordEvent, withId('eventId')),
  /** Record up to 500 events; an invalid one does not fail the others */
  recordEvents: record(api.recordEvents, ({ events, ...body }) => ({
    ...body,
    events: listOf('events', events).map(withId('eventId')),
  })),
  /** Link an install to a user */
  identify: record(api.identifyUser),
  /** Resolve the link that opened the app directly, and record the open */
  resolve: record(api.resolveDeepLink),
  /** Make a link that a user of the app shares */
  createLink: record(api.createShareLink),
  /** Read which conversion values the SDK sets on iPhones */
  getConversionSchema: call(api.readConversionSchema),
  /** Explain why a sandbox install has its click, or none; with a test key only */
  explainInstall: call(api.explainInstall, 'installId'),
});

function listOf<Item>(name: string, items: Item[]): Item[] {
  if (!Array.isArray(items))
    throw new TypeError(`${name} must be a list, but is ${items}. Check where it comes from.`);
  return items;
}

function withId<Name extends string>(name: Name) {
  return <Item extends { [N in Name]?: string | null }>(item: Item): Item => ({
    ...item,
    [name]: item[name] ?? randomUUID(),
  });
}
