import { StartError } from '../errors.ts';

/** Error texts omit the value, which usually contains a password. @throws StartError */
export function checkDatabaseUrl(value: string | null): string | null {
  if (value === null) return null;
  if (!/^postgres(ql)?:\/\//.test(value))
    refuse('must start with postgres:// (leave it out to use the embedded SQLite file)');
  if (!isDecodable(value))
    refuse(
      'must be of the form postgres://user:password@host:5432/database, with % and other special characters of the password percent-encoded (% as %25)',
    );
  const { searchParams } = new URL(value);
  const port = searchParams.get('port');
  if (port && !(/^\d{1,5}$/.test(port) && Number(port) < 65_536)) refuse(`has the invalid port “${port}”`);
  const sslMode = searchParams.get('sslmode');
  if (sslMode && !SSL_MODES.includes(sslMode))
    refuse(`has sslmode=${sslMode}: use one of ${SSL_MODES.join(', ')}`);
  return value;
}

/** The modes of `pg`. */
const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

function isDecodable(address: string): boolean {
  try {
    const { username, password, pathname } = new URL(address);
    return [username, password, pathname].every((part) => decodeURIComponent(part) !== null);
  } catch {
    return false;
  }
}

function refuse(why: string): never {
  throw new StartError(`DATABASE_URL ${why}.`);
}
