import type { CreateLink } from '@generated/types.gen.ts';
import { readEnd } from './end.ts';

/** As the API takes them; null clears a field. */
export type LinkFields = Omit<CreateLink, 'shortCode'> & { readonly shortCode?: string };

type Read =
  | { readonly fields: LinkFields }
  | { readonly wrong: { readonly field: string; readonly text: string } };

const TEXTS = [
  ...(['title', 'campaignId', 'iosDestination', 'androidDestination', 'fallbackUrl'] as const),
  ...(['ogTitle', 'ogDescription', 'ogImage'] as const),
];

export function readFields(form: FormData, isNew: boolean, now: Date): Read {
  const text = (name: string) => {
    const value = form.get(name);
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
  };
  const params = parseParams(text('deepLinkParams'));
  if (params === undefined)
    return {
      wrong: { field: 'deepLinkParams', text: 'This is no JSON object, such as { "colour": "red" }.' },
    };
  const shortCode = text('shortCode');
  return {
    fields: {
      deepLinkPath: text('deepLinkPath') ?? '',
      deepLinkParams: params,
      ...Object.fromEntries(TEXTS.map((name) => [name, text(name)])),
      tags: tagsOf(form, 'tags'),
      landingPage: pageOf(text('landingPage')),
      sandbox: form.get('sandbox') !== null,
      passPath: form.get('passPath') !== null,
      minAppVersion: versionsOf(text('minAppVersion.ios'), text('minAppVersion.android')),
      ...readEnd(form, now),
      ...(isNew && shortCode !== null && { shortCode }),
    },
  };
}

/** Of a `TagsField`: those that it has, and what is typed into it. */
export function tagsOf(form: FormData, name: string): string[] {
  return form
    .getAll(name)
    .flatMap((tag) => (typeof tag === 'string' && tag.trim() !== '' ? [tag.trim()] : []));
}

function versionsOf(ios: string | null, android: string | null): CreateLink['minAppVersion'] {
  if (ios === null && android === null) return null;
  return { ...(ios !== null && { ios }), ...(android !== null && { android }) };
}

function pageOf(value: string | null): CreateLink['landingPage'] {
  return value === 'auto' || value === 'always' || value === 'never' ? value : null;
}

/** @returns undefined if it is no object. */
export function parseParams(text: string | null): Record<string, unknown> | null | undefined {
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? Object.fromEntries(Object.entries(value)) : undefined;
  } catch {
    return undefined;
  }
}
