import { diagnoseLink } from '@generated/sdk.gen.ts';
import type { DiagnosedVisitor, Diagnosis } from '@generated/types.gen.ts';
import { type Read, useRead } from '../../api/use-read.ts';
import { Section } from '../../components/page.tsx';
import { Pane } from '../../components/pane.tsx';

export function useDiagnosis(shortCode: string): Read<Diagnosis> {
  return useRead(['links', shortCode, 'diagnosis'], (client, signal) =>
    diagnoseLink({ client, path: { shortCode }, signal, throwOnError: true }),
  );
}

const SEVERITIES = { error: 'Fails', warning: 'Some fail', info: 'To know' } as const;

/** Problems of the link and of its app; nothing where all is well. */
export function Findings({ shortCode }: { shortCode: string }) {
  const { data } = useDiagnosis(shortCode);
  const findings = data?.findings.filter(({ severity }) => severity !== 'info') ?? [];
  if (findings.length === 0) return null;
  return (
    <ul className="grid gap-2 pt-5">
      {findings.map(({ code, severity, message, mend }) => (
        <li key={code} className={`note ${severity === 'error' ? 'note-bad' : ''}`}>
          <b>{SEVERITIES[severity]}</b>
          <p>
            {message} {mend}
          </p>
        </li>
      ))}
    </ul>
  );
}

const VISITORS: Readonly<Record<DiagnosedVisitor['visitor'], string>> = {
  iosSafari: 'iPhone, Safari',
  androidChrome: 'Android, Chrome',
  inAppBrowser: 'Inside Instagram',
  desktop: 'Computer',
  previewBot: 'Chat, drawing a card',
};
const ANSWERS: Readonly<Record<DiagnosedVisitor['answer'], string>> = {
  redirect: 'Redirect',
  page: 'Page',
  preview: 'Card',
  gone: 'Nothing',
};

export function WhoGetsWhat({ shortCode }: { shortCode: string }) {
  const read = useDiagnosis(shortCode);
  return (
    <Section title="Who gets what">
      <Pane read={read} rows={5}>
        {({ visitors }) => (
          <table className="table">
            <thead>
              <tr>
                <th scope="col">Visitor</th>
                <th scope="col">Gets</th>
                <th scope="col">Leads to</th>
                <th scope="col">Why</th>
              </tr>
            </thead>
            <tbody>
              {visitors.map((visitor) => (
                <tr key={visitor.visitor}>
                  <td className="min-w-32">
                    <span className="max-phone:font-semibold">{VISITORS[visitor.visitor]}</span>
                  </td>
                  <td data-name="Gets">
                    <span>
                      {ANSWERS[visitor.answer]}
                      {visitor.rule !== null && (
                        <span className="text-ink-2"> by {nameOf(visitor.rule)}</span>
                      )}
                    </span>
                  </td>
                  <td data-name="Leads to">
                    <span>
                      <Target visitor={visitor} />
                    </span>
                  </td>
                  <td data-name="Why" className="text-ink-2">
                    {visitor.why}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Pane>
    </Section>
  );
}

function nameOf({ number, name }: NonNullable<DiagnosedVisitor['rule']>): string {
  return name === null ? `rule ${number}` : `rule ${number}, ${name}`;
}

/** Stores by their names, other places by their address. */
function Target({ visitor: { location, leadsTo } }: { visitor: DiagnosedVisitor }) {
  const target = leadsTo ?? location;
  const url = target === null ? null : URL.parse(target);
  if (url === null) return target === null ? 'Nowhere' : <code>{target}</code>;
  if (url.host === 'apps.apple.com')
    return (
      <>
        App Store, <code>{url.pathname.split('/').at(-1)}</code>
      </>
    );
  if (url.host === 'play.google.com')
    return (
      <>
        Google Play, <code>{url.searchParams.get('id')}</code>
      </>
    );
  return (
    <code>
      {url.host}
      {url.pathname === '/' ? '' : url.pathname}
    </code>
  );
}
