/** What a phone may not choose of a link, since its key can be taken out of the app. */
import type { AppLinksSetting } from '../apps/index.ts';
import { AppError } from '../errors.ts';
import { checkWebAddress } from '../lib/web-address.ts';
import { CreateShareLink, type CreateShareLinkInput } from './schemas.ts';

/** Characters of a field's name that a caller chose. */
const MAX_NAME = 64;
/** As of any link. */
const MAX_PARAMS_BYTES = 16 * 1024;

/** A scheme such as `javascript:`, or another host than the app's; or characters that parsers of addresses leave out. */
const NOT_A_PATH = /^[^/?#]*:|^[/\\]{2}|^\/?\\|^\s|\p{Cc}/u;

/** @throws AppError `request.invalid` that names the field. */
export function checkContent(input: CreateShareLinkInput, setting: AppLinksSetting): void {
  if (NOT_A_PATH.test(input.deepLinkPath))
    throw invalid(
      'deepLinkPath must be a path in the app, such as /shoes/42, without a scheme, a host or control characters. Begin it with one /.',
    );
  if (typeof input.campaignId === 'string' && !setting.allowCampaignId)
    throw invalid(
      'campaignId cannot be chosen by the app here. Leave it out, or set allowCampaignId in the app’s setting appLinks.',
    );
}

/** @throws AppError `request.invalid` for a field that the app cannot choose. */
export function checkFields(input: CreateShareLinkInput): void {
  const other = Object.keys(input).find((name) => !Object.hasOwn(CreateShareLink.properties, name));
  if (other !== undefined)
    throw invalid(
      `${other.slice(0, MAX_NAME)} cannot be chosen by the app: destinations and the like come from the app’s setting appLinks. Leave it out.`,
    );
  checkValues(input);
}

/** What the schema cannot express. */
function checkValues({ ogImage, deepLinkParams }: CreateShareLinkInput): void {
  checkWebAddress('ogImage', ogImage);
  if (Buffer.byteLength(JSON.stringify(deepLinkParams ?? {})) > MAX_PARAMS_BYTES)
    throw invalid('deepLinkParams must be at most 16 KiB as JSON.');
}

function invalid(message: string): AppError {
  return new AppError('request.invalid', { message });
}
