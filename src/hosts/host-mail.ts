import { escapeHtml, textHtml } from '../lib/html.ts';
import type { Mail } from '../lib/mail/mailer.ts';
import { oneLine } from '../lib/text.ts';
import type { Told } from './record-look.ts';

interface HostMail {
  readonly to: string;
  readonly appName: string;
  readonly host: string;
  readonly told: readonly Told[];
  /** Of the console. */
  readonly url: string;
}

/** What servers, issuers and lists say is their choice, so each stays one line of text. */
export function hostMail({ to, appName, host, told, url }: HostMail): Mail {
  const hasProblem = told.some(({ change }) => change === 'problem');
  const lines = told.map(({ change, check: { message, mend } }) =>
    change === 'problem' ? oneLine(`${message} ${mend ?? ''}`) : oneLine(`In order again: ${message}`),
  );
  const about = `Throughline looked at ${host}, the host of the short links of`;
  return {
    to,
    subject: hasProblem ? `Problem of ${host}` : `${host} is in order again`,
    text: [`${about} “${oneLine(appName)}”:`, ...lines.map((line) => `- ${line}`), url, ''].join('\n\n'),
    html: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<p>${escapeHtml(about)} <b>${textHtml(appName)}</b>:</p>
<ul>
${lines.map((line) => `<li>${textHtml(line)}</li>`).join('\n')}
</ul>
<p><a href="${escapeHtml(url)}">${escapeHtml(url)}</a></p>
</html>
`,
  };
}
