import { resolve } from 'node:path';
import { assertOutside } from '../../backups/index.ts';
import { type Config, readConfig } from '../../config.ts';
import { StartError } from '../../errors.ts';
import { openCountries } from '../../lib/countries.ts';
import { weakSecrets } from '../serve/startup.ts';
import { describeUnknown } from '../serve/unknown-settings.ts';
import { namesInFiles } from '../settings-files.ts';
import { type Finding, fault, ok, warning } from './check.ts';

/** Null if the settings cannot be used. */
export function checkSettings(env: NodeJS.ProcessEnv): { config: Config | null; findings: Finding[] } {
  const findings = unknownNames(env);
  try {
    const config = readConfig(env);
    const refused = refusals(config);
    const valid = refused.length === 0 ? [ok('settings.valid', 'The settings are valid')] : refused;
    return { config, findings: [...valid, ...findings, ...weak(config)] };
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return {
      config: null,
      findings: [refusal(error), ...findings],
    };
  }
}

function refusal({ message }: StartError): Finding {
  return fault('settings.valid', message, 'Correct it; the service does not start.');
}

/** Of values that name something which a start cannot use. */
function refusals(config: Config): Finding[] {
  const { backup, dataDir } = config;
  const uses = [
    () => openCountries(config),
    () => backup && assertOutside(resolve(backup.dir), resolve(dataDir)),
  ];
  return uses.flatMap((use) => {
    try {
      use();
      return [];
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      return refusal(error);
    }
  });
}

function unknownNames(env: NodeJS.ProcessEnv): Finding[] {
  return describeUnknown(env, namesInFiles()).map((text) =>
    warning('settings.names', text, 'Correct or remove it (docs/reference/settings.md).'),
  );
}

function weak(config: Config): Finding[] {
  return weakSecrets(config).map((name) =>
    warning(
      'settings.secrets',
      `${name} is short enough to be guessed`,
      `Make a new ${name}: openssl rand -base64 32 (docs/guide/secrets.md).`,
    ),
  );
}
