/** The fields of a link that the app makes, checked as the service checks them. */
import { faultOfText } from './event.ts';
import { holdsStorableTexts, toJson } from './json-text.ts';
import {
  MAX_CHARACTERS,
  MAX_DESCRIPTION_CHARACTERS,
  MAX_LINK_PARAMS_BYTES,
  MAX_PATH_CHARACTERS,
  MAX_URL_CHARACTERS,
} from './limits.ts';
import { LinkError } from './link-error.ts';
import type { NewLink } from './types.ts';

const CHARACTERS = new Map([
  ['deepLinkPath', MAX_PATH_CHARACTERS],
  ['ogTitle', MAX_CHARACTERS],
  ['ogDescription', MAX_DESCRIPTION_CHARACTERS],
  ['ogImage', MAX_URL_CHARACTERS],
  ['campaignId', MAX_CHARACTERS],
]);
/** The first character that is none of the printable ones. Engines of phones know no classes of Unicode. */
const CONTROL = /[^ -~\u00a0-\uffff]/;
/** A scheme, another host, or what parsers of addresses leave out. */
const NOT_A_PATH = /^[^/?#]*:|^[/\\]{2}|^\/?\\|^\s/;
const WEB_ADDRESS = /^https?:\/\/[^\s/?#]\S*$/i;

/** A copy: the app may change the object before it is sent. @returns JSON, each field after a comma. @throws LinkError */
export function toFields(link: NewLink): string {
  if (typeof link !== 'object' || link === null) throw refusal('takes an object with deepLinkPath');
  const { deepLinkPath = null, ...others } = link;
  const fields = Object.entries({ deepLinkPath, ...others });
  return fields.map(([name, value]) => toField(name, value)).join('');
}

/** Empty for an optional field that is not set. */
function toField(name: string, value: unknown): string {
  if (name === 'deepLinkParams') return value ? `,"${name}":${paramsOf(value)}` : '';
  const maxCharacters = CHARACTERS.get(name);
  if (maxCharacters === undefined)
    throw refusal(`knows no field ${name}. Leave it out: where links lead is in the app’s settings`);
  if (name !== 'deepLinkPath' && (value === undefined || value === null)) return '';
  const fault = faultOfText(name, value, maxCharacters);
  if (fault !== null) throw refusal(`was refused: ${fault}`);
  const text = value as string;
  if (name === 'deepLinkPath' && (NOT_A_PATH.test(text) || CONTROL.test(text)))
    throw refusal(
      'was refused: deepLinkPath must be a path in the app, such as /invite/42, without a scheme, a host or control characters',
    );
  if (name === 'ogImage' && (!WEB_ADDRESS.test(text) || CONTROL.test(text)))
    throw refusal('was refused: ogImage must be an http(s) address without spaces');
  return `,"${name}":${JSON.stringify(value)}`;
}

function paramsOf(value: unknown): string {
  const json = toJson('deepLinkParams', value as object, MAX_LINK_PARAMS_BYTES);
  if (typeof json === 'object') throw refusal(`was refused: ${json.fault}`);
  if (!holdsStorableTexts(json))
    throw refusal('was refused: deepLinkParams have a NUL character or half of a surrogate pair');
  if (json.includes('"__proto__":')) throw refusal('was refused: deepLinkParams have a field __proto__');
  return json;
}

function refusal(text: string): LinkError {
  return new LinkError('request.invalid', `createLink ${text}.`);
}
