import { AppError } from '../../errors.ts';
import type { Foundation } from '../../foundation.ts';
import { parseNetworks } from '../../lib/outgoing/index.ts';
import { compileCheck } from '../../server/validation.ts';
import { checkUrl } from '../change-webhook.ts';
import type { AnyType, Config } from './destination.ts';
import type { Mapping } from './destination-type.ts';
import { problemOfBaseUrl, withoutForeignBaseUrl } from './own-address.ts';
import { describePaths, isRecordPath } from './record-path.ts';
import { DESTINATION_TYPES } from './types/index.ts';

const CHECKS = new Map(
  DESTINATION_TYPES.map(({ type, config }) => [type as string, compileCheck(config, 'config')]),
);
/** Config fields with an address that records are sent to. */
export const ADDRESSES = ['url', 'baseUrl'] as const;

/** Checks a whole config. @throws AppError `request.invalid`. */
export function checkConfig(
  { config: settings }: Pick<Foundation, 'config'>,
  type: AnyType,
  config: Config,
): void {
  const { own, baseUrl } = withoutForeignBaseUrl(type, config);
  const invalid = CHECKS.get(type.type)?.(own) ?? null;
  if (invalid !== null) throw refused(invalid.startsWith('The config') ? invalid : `config.${invalid}`);
  const problem =
    baseUrl === null ? null : problemOfBaseUrl(type, baseUrl, parseNetworks(settings.webhookAllowCidrs));
  if (problem !== null) throw refused(problem);
  const wrong = type.checkConfig?.(own) ?? null;
  if (wrong !== null) throw refused(`config.${wrong}`);
  for (const name of ADDRESSES) {
    const address = own[name];
    if (typeof address === 'string') checkUrl({ config: settings }, address, `config.${name}`);
  }
}

/** @throws AppError `request.invalid`. */
export function checkMapping({ title, mappable }: AnyType, { fields = {} }: Mapping): void {
  for (const [field, source] of Object.entries(fields)) {
    if (!Object.hasOwn(mappable, field)) {
      const names = Object.keys(mappable);
      const known =
        names.length === 0
          ? 'It has none that can be mapped'
          : `Those that can be mapped are ${names.join(', ')}`;
      throw refused(`mapping.fields.${field.slice(0, 64)} is no field of ${title}. ${known}.`);
    }
    if (!isRecordPath(source))
      throw refused(
        `mapping.fields.${field} has the source ${source.slice(0, 64)}, which no record has. Use ${describePaths()}.`,
      );
  }
}

function refused(message: string): AppError {
  return new AppError('request.invalid', { message });
}
