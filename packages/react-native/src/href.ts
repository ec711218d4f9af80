import type { DeepLink, JsonValue } from '@throughline/core';

/** Path and parameters of a link as one text, such as `/shoes/42?size=43`, for routers. */
export function hrefOf({ path, params }: Pick<DeepLink, 'path' | 'params'>): string {
  const query = Object.entries(params).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(toText(value))}`,
  );
  if (query.length === 0) return path;
  return `${path}${path.includes('?') ? '&' : '?'}${query.join('&')}`;
}

function toText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
