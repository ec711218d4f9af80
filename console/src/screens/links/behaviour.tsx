/** What is special about a link, in sentences: its rules with a tester, what a tap carries on, its end. */
import { readOwnApp } from '@generated/sdk.gen.ts';
import type { Link } from '@generated/types.gen.ts';
import { type ReactNode, useState } from 'react';
import { useRead } from '../../api/use-read.ts';
import { Section } from '../../components/page.tsx';
import { isUsualPassQuery } from './pass-query.ts';
import { Tester } from './rules/tester.tsx';
import { ruleName, ruleSentence } from './rules/words.ts';

/** Nothing for a link without rules. */
export function Rules({ link }: { link: Link }) {
  const { rules } = link;
  const [isTrying, setTrying] = useState(false);
  if (rules.length === 0) return null;
  return (
    <Section title="Rules">
      <ol className="grid" aria-label="Rules">
        {rules.map((rule, place) => (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: the place is what tells rules apart
            key={place}
            className="border-b border-line py-2 [overflow-wrap:anywhere]"
          >
            <b>{ruleName(rule, place)}</b> <span className="text-ink-2">{ruleSentence(rule, place)}</span>
          </li>
        ))}
      </ol>
      <p className="meta pt-2">The first that fits a visitor wins. Whom none fits gets what the link says.</p>
      <details className="pt-2" onToggle={({ currentTarget }) => setTrying(currentTarget.open)}>
        <summary className="min-h-(--row) py-1.5 font-semibold">Try it: who gets what</summary>
        <div className="pt-2">{isTrying && <TriedLink link={link} />}</div>
      </details>
    </Section>
  );
}

function TriedLink({ link }: { link: Link }) {
  const { data: app } = useRead(['app'], (client, signal) =>
    readOwnApp({ client, signal, throwOnError: true }),
  );
  return app === undefined ? null : <Tester {...{ link, app }} rules={link.rules} />;
}

/** Only what differs from other links. */
export function Specials({ link }: { link: Link }) {
  const { path, passQuery, passPath, expiredUrl, goneWhenExpired, minAppVersion } = link;
  const { ios, android } = minAppVersion ?? {};
  const versions = [
    ...(ios === undefined ? [] : [`${ios} on iOS`]),
    ...(android === undefined ? [] : [`${android} on Android`]),
  ];
  return (
    <>
      {path !== null && (
        <Special>
          <code>/l/{link.shortCode}</code> is the same link.
        </Special>
      )}
      {passPath && (
        <Special>Longer addresses are this link too; the rest goes to the app and the web page.</Special>
      )}
      {!isUsualPassQuery(passQuery) && (
        <Special>
          {passQuery.length === 0 ? (
            'A tap carries no parameters on.'
          ) : (
            <>
              A tap carries on <code>{passQuery.join(', ')}</code>.
            </>
          )}
        </Special>
      )}
      {goneWhenExpired ? (
        <Special>Once it has ended, it leads nowhere.</Special>
      ) : (
        expiredUrl !== null && (
          <Special>
            Once it has ended, it leads to <code>{expiredUrl}</code>.
          </Special>
        )
      )}
      {versions.length > 0 && (
        <Special>Apps older than {versions.join(' and ')} are told to ask for an update.</Special>
      )}
    </>
  );
}

function Special({ children }: { children: ReactNode }) {
  return <span className="min-w-0 [overflow-wrap:anywhere]">{children}</span>;
}
