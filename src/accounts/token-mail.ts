import { escapeHtml } from '../lib/html.ts';
import type { Mail } from '../lib/mail/mailer.ts';

const UNTIL = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'long',
  timeStyle: 'short',
  timeZone: 'UTC',
});

/** As a mail says it. */
export function untilOf(endsAtMs: number): string {
  return `${UNTIL.format(endsAtMs)} UTC`;
}

interface TokenMail {
  readonly to: string;
  readonly subject: string;
  /** Continues “To”. */
  readonly action: string;
  /** One-time address. */
  readonly url: string;
  readonly endsAtMs: number;
}

/** A mail with a one-time address, without a text of anybody else's choice. */
export function tokenMail({ to, subject, action, url, endsAtMs }: TokenMail): Mail {
  const invitation = `To ${action} in Throughline, open this address, which works once and until ${untilOf(endsAtMs)}:`;
  const ignore = 'If you did not expect this mail, ignore it.';
  return {
    to,
    subject,
    text: [invitation, url, ignore, ''].join('\n\n'),
    html: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<p>${escapeHtml(invitation)}</p>
<p><a href="${escapeHtml(url)}">${escapeHtml(url)}</a></p>
<p>${ignore}</p>
</html>
`,
  };
}
