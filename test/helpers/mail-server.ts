/** A real mail server that keeps what it gets. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface ReceivedMail {
  /** Of the envelope. */
  readonly from: string;
  readonly to: readonly string[];
  /** Header lines as sent, unfolded. */
  readonly headers: readonly string[];
  readonly text: string;
  readonly html: string;
}

export class MailServer {
  readonly #server: SMTPServer;
  readonly mails: ReceivedMail[] = [];

  /** Without STARTTLS and logins, unless the options say otherwise. */
  constructor(options: SMTPServerOptions = {}) {
    this.#server = new SMTPServer({
      disabledCommands: ['AUTH', 'STARTTLS'],
      disableReverseLookup: true,
      authOptional: true,
      onData: (stream, { envelope }, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
          const to = envelope.rcptTo.map(({ address }) => address);
          this.mails.push({ from, to, ...parse(Buffer.concat(chunks).toString()) });
          done();
        });
      },
      ...options,
    });
    // A client that goes away is no failure of the test.
    this.#server.on('error', () => undefined);
  }

  /** @returns the port. */
  async start(): Promise<number> {
    const { server } = this.#server;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

function parse(raw: string): Pick<ReceivedMail, 'headers' | 'text' | 'html'> {
  const { headers, body } = split(raw);
  const boundary = /boundary="([^"]+)"/.exec(headers.join('\n'))?.[1] ?? 'none';
  const parts = body.split(`--${boundary}`).map((part) => split(part.replace(/^\r\n/, '')));
  const content = (type: string) => {
    const part = parts.find((one) => one.headers.some((line) => line.startsWith(`Content-Type: ${type}`)));
    if (part === undefined) throw new Error(`the mail has no ${type}`);
    return decode(part);
  };
  return { headers, text: content('text/plain'), html: content('text/html') };
}

function split(raw: string): { headers: string[]; body: string } {
  const end = raw.indexOf('\r\n\r\n');
  const headers = raw.slice(0, end).replaceAll(/\r\n[ \t]+/g, ' ');
  return { headers: headers.split('\r\n'), body: raw.slice(end + 4) };
}

function decode({ headers, body }: { headers: readonly string[]; body: string }): string {
  const encoding = /^Content-Transfer-Encoding: (.*)$/im.exec(headers.join('\n'))?.[1];
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString();
  if (encoding !== 'quoted-printable') return body;
  const bytes = body
    .replaceAll(/=\r\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}
