import { Type } from 'typebox';

/** @param description where such an address comes from. */
export function BaseUrl(description: string) {
  return Type.Optional(
    Type.String({
      // No user name, query or fragment.
      pattern: '^https?://[^/?#\\\\\\s@]+(/[^?#\\\\\\s]*)?$',
      maxLength: 1_024,
      description: `an http(s) address without a query, in place of the type’s own: ${description}`,
    }),
  );
}

/** @param path begins with a slash. */
export function addressOf(config: { readonly baseUrl?: string }, origin: string, path: string): string {
  return `${(config.baseUrl ?? origin).replace(/\/+$/, '')}${path}`;
}
