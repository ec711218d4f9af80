import { StartError } from '../../errors.ts';

/** The server that takes mail, and its sender. */
export interface MailSettings {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte on; otherwise by STARTTLS, which a password requires. */
  readonly secure: boolean;
  readonly login: { readonly user: string; readonly password: string } | null;
  readonly from: { readonly name: string; readonly address: string };
}

/** Null without a mail server. Error texts omit the address, which usually contains a password. @throws StartError */
export function readMailSettings(smtpUrl: string | null, mailFrom: string | null): MailSettings | null {
  if (smtpUrl === null) {
    if (mailFrom !== null) refuse('SMTP_URL', 'is required with MAIL_FROM');
    return null;
  }
  const server = serverOf(smtpUrl);
  if (mailFrom === null) refuse('MAIL_FROM', 'is required with SMTP_URL: the sender of invitations');
  return { ...server, from: senderOf(mailFrom) };
}

function serverOf(smtpUrl: string): Omit<MailSettings, 'from'> {
  const url = URL.canParse(smtpUrl) ? new URL(smtpUrl) : null;
  const login = url === null ? undefined : loginOf(url);
  if (
    url === null ||
    !/^smtps?:$/.test(url.protocol) ||
    url.hostname === '' ||
    !/^\/?$/.test(url.pathname) ||
    url.search + url.hash !== '' ||
    login === undefined
  )
    refuse(
      'SMTP_URL',
      'must be of the form smtps://user:password@host:465 or smtp://host:587, with % and other special characters of the user and password percent-encoded (% as %25)',
    );
  const secure = url.protocol === 'smtps:';
  const defaultPort = secure ? 465 : 587;
  return {
    // Sockets take an IPv6 address without its brackets.
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? defaultPort : Number(url.port),
    secure,
    login,
  };
}

/** Undefined for a broken escape, or for one of user and password alone. */
function loginOf({ username, password }: URL): MailSettings['login'] | undefined {
  if (username === '' && password === '') return null;
  if (username === '' || password === '') return undefined;
  try {
    return { user: decodeURIComponent(username), password: decodeURIComponent(password) };
  } catch {
    return undefined;
  }
}

const SENDER = /^(?:"?([^<>"\p{Cc}]*?)"? *<([^\s<>@,;"]+@[^\s<>@,;"]+)>|([^\s<>@,;"]+@[^\s<>@,;"]+))$/u;

function senderOf(mailFrom: string): MailSettings['from'] {
  const [, name = '', inBrackets, alone] = SENDER.exec(mailFrom) ?? [];
  const address = inBrackets ?? alone;
  if (address === undefined)
    refuse('MAIL_FROM', 'must be an address such as Throughline <mail@example.com> or mail@example.com');
  return { name, address };
}

function refuse(name: string, why: string): never {
  throw new StartError(`${name} ${why}.`);
}
