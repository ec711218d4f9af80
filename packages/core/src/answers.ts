/** Reads the answers of the service. Null stands for an answer that only looks like one. */
import type { Attribution, CreatedLink, DeepLink, JsonObject, Method } from './types.ts';

export const NOT_ANSWERED: Attribution = {
  pending: true,
  attributed: false,
  method: 'ORGANIC',
  installId: null,
  clickId: null,
  campaignId: null,
  confidence: null,
  link: null,
  metadata: {},
};

/** Of `POST /v1/sdk/install` and `open`. @param url that opened the app; null for a deferred link. */
export function readAttribution(body: JsonObject, url: string | null): Attribution | null {
  const { attributed, method, installId, clickId, campaignId, confidence, deepLinkPayload, metadata } = body;
  if (typeof attributed !== 'boolean' || typeof method !== 'string') return null;
  const result = {
    campaignId: text(campaignId),
    method: method as Method,
    confidence: typeof confidence === 'string' ? Number(confidence) : null,
  };
  const payload = isObject(deepLinkPayload) ? deepLinkPayload : null;
  const isNamed = url !== null && payload !== null && text(payload.shortCode) !== null;
  return {
    ...result,
    pending: false,
    attributed,
    installId: text(installId),
    clickId: text(clickId),
    // The link of the URL itself, without credit for its click.
    link: isNamed
      ? readDirectLink(payload, url)
      : payload && readLink({ ...payload, metadata: metadata ?? {} }, { ...result, url }),
    metadata: isObject(metadata) ? metadata : {},
  };
}

/** Of `POST /v1/sdk/resolve`. */
export function readDirectLink(body: JsonObject, url: string): DeepLink | null {
  return readLink(body, { url, campaignId: text(body.campaignId), method: 'DIRECT', confidence: null });
}

function readLink(
  { deepLinkPath, deepLinkParams, minAppVersion, metadata }: JsonObject,
  rest: Pick<DeepLink, 'url' | 'campaignId' | 'method' | 'confidence'>,
): DeepLink | null {
  if (typeof deepLinkPath !== 'string') return null;
  return {
    path: deepLinkPath,
    params: isObject(deepLinkParams) ? deepLinkParams : {},
    ...rest,
    deferred: rest.url === null,
    ...(isObject(minAppVersion) && { minAppVersion }),
    ...(isObject(metadata) && Object.keys(metadata).length > 0 && { metadata }),
  };
}

/** Of `POST /v1/sdk/links`. */
export function readCreatedLink({ shortCode, shortUrl }: JsonObject): CreatedLink | null {
  return typeof shortCode === 'string' && typeof shortUrl === 'string' ? { shortCode, shortUrl } : null;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
