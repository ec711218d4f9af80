import { StartError } from '../errors.ts';

type Env = Readonly<Record<string, string | undefined>>;

const ADDRESSES = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] as const;

/** Whether the environment asks for traces. @throws StartError for an address that is none. */
export function isWanted(env: Env): boolean {
  if (env.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true' || env.OTEL_TRACES_EXPORTER?.trim() === 'none')
    return false;
  const given = ADDRESSES.filter((name) => (env[name] ?? '').trim() !== '');
  for (const name of given)
    if (!/^https?:$/.test(URL.parse(env[name] ?? '')?.protocol ?? ''))
      throw new StartError(`${name} must be an http(s) address, such as http://127.0.0.1:4318.`);
  return given.length > 0;
}
