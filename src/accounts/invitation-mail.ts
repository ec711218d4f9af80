import type { Role } from '../auth/index.ts';
import { escapeHtml, textHtml } from '../lib/html.ts';
import type { Mail } from '../lib/mail/mailer.ts';
import { oneLine } from '../lib/text.ts';
import { untilOf } from './token-mail.ts';

interface InvitationMail {
  readonly to: string;
  readonly appName: string;
  readonly role: Role;
  /** Email of the member who invites. */
  readonly inviter: string;
  /** One-time address of the invitation. */
  readonly url: string;
  readonly endsAtMs: number;
}

const AS: Readonly<Record<Role, string>> = {
  viewer: 'as a viewer, who reads everything but keys and the team',
  editor: 'as an editor, who also changes links and webhooks, and exports and erases people’s data',
  owner: 'as an owner, who may do everything, and also sees keys and the team',
};

/** The app's name and the email of who invites are their choice, so each stays one line of text. */
export function invitationMail({ to, appName, role, inviter, url, endsAtMs }: InvitationMail): Mail {
  const app = oneLine(appName);
  const until = untilOf(endsAtMs);
  return {
    to,
    subject: `Invitation to ${app}`,
    text: [
      `${oneLine(inviter)} invites you to the app “${app}” in Throughline, ${AS[role]}.`,
      `To join, open this address, which works once and until ${until}:`,
      url,
      'If you did not expect this invitation, ignore it.',
      '',
    ].join('\n\n'),
    html: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<p><b>${textHtml(inviter)}</b> invites you to the app <b>${textHtml(appName)}</b> in Throughline, ${AS[role]}.</p>
<p>To join, open this address, which works once and until ${until}:</p>
<p><a href="${escapeHtml(url)}">${escapeHtml(url)}</a></p>
<p>If you did not expect this invitation, ignore it.</p>
</html>
`,
  };
}
