import { createTransport } from 'nodemailer';
import { SECOND_MS } from '../clock.ts';
import type { Log } from '../log.ts';
import type { MailSettings } from './settings.ts';

export interface Mail {
  /** The address of one recipient. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface Mailer {
  /** Resolves to whether the server has accepted the mail. Never rejects. */
  send(mail: Mail): Promise<boolean>;
}

/** From the start of the connection to the server's acceptance. */
const TIMEOUT_MS = 10 * SECOND_MS;

/** Each mail has its own connection to the server: mails are rare. */
export function createMailer(
  { host, port, secure, login, from }: MailSettings,
  { log, timeoutMs = TIMEOUT_MS }: { log: Log; timeoutMs?: number },
): Mailer {
  const transport = createTransport({
    host,
    port,
    secure,
    ...(login !== null && { auth: { user: login.user, pass: login.password }, requireTLS: !secure }),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send({ to, ...content }) {
      try {
        // As an object, so that a comma in the address does not make two of it.
        const recipient = { name: '', address: to };
        const signal = AbortSignal.timeout(timeoutMs);
        await transport.sendMail({ from, to: recipient, ...content, signal });
        return true;
      } catch (error) {
        // Without the message, in which servers repeat addresses.
        const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
        log.warn(
          { code, responseCode },
          'The mail server did not accept a mail. Check SMTP_URL and MAIL_FROM against its log',
        );
        return false;
      }
    },
  };
}
