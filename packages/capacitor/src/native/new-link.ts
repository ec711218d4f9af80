import { LinkError } from '@throughline/core';

const TEXTS = ['deepLinkPath', 'ogTitle', 'ogDescription', 'ogImage', 'campaignId'];

/** Of the types that native code has no way to be given. @returns JSON. @throws LinkError */
export function toLinkText(link: unknown): string {
  if (typeof link !== 'object' || link === null) throw refusal('takes an object with deepLinkPath');
  const { deepLinkPath = null, ...others } = link as Record<string, unknown>;
  for (const [name, value] of Object.entries({ deepLinkPath, ...others })) check(name, value);
  try {
    return JSON.stringify(link);
  } catch (cause) {
    throw refusal(`takes deepLinkParams that JSON can write: ${cause}`);
  }
}

function check(name: string, value: unknown): void {
  const isAbsent = value === undefined || (value === null && name !== 'deepLinkPath');
  if (name === 'deepLinkParams') {
    if (value && (typeof value !== 'object' || Array.isArray(value)))
      throw refusal('takes an object as deepLinkParams');
    return;
  }
  if (!TEXTS.includes(name))
    throw refusal(`knows no field ${name}. Leave it out: where links lead is in the app’s settings`);
  if (!isAbsent && typeof value !== 'string') throw refusal(`takes a text as ${name}`);
}

function refusal(what: string): LinkError {
  return new LinkError('request.invalid', `createLink ${what}.`);
}
