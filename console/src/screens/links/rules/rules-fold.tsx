import { useMemo, useState } from 'react';
import { Fold } from '../../../components/fold.tsx';
import type { Extras } from '../extras.tsx';
import { passQueryTyped } from '../pass-query.ts';
import { type RuleDraft, ruleOf, wrongIn } from './draft.ts';
import { RulesField } from './rules-field.tsx';
import { type Places, Tester } from './tester.tsx';
import type { TriedLink } from './try-rules.ts';

/** The rules of the link in a form, with the tester below them. */
export function RulesFold({
  drafts,
  onChange,
  link: { passQuery, ...link },
  app,
}: {
  drafts: readonly RuleDraft[];
  onChange: (drafts: readonly RuleDraft[]) => void;
  link: Omit<TriedLink, 'passQuery'> & Extras;
  app: Places;
}) {
  const [isFirstOpen] = useState(drafts.length > 0);
  const rules = useMemo(() => drafts.map(ruleOf), [drafts]);
  const wrong = drafts.map((draft) => wrongIn([draft])?.text ?? null);
  return (
    <Fold title="Rules: who gets something else" isOpen={isFirstOpen}>
      <RulesField drafts={drafts} onChange={onChange} />
      {drafts.length > 0 && (
        <details className="border-l-2 border-line pl-4">
          <summary className="min-h-(--row) py-1.5 font-semibold">Try it: who gets what</summary>
          <div className="pt-2">
            <Tester
              link={{ ...link, passQuery: passQueryTyped(passQuery), expiredUrl: link.expiredUrl || null }}
              {...{ rules, wrong, app }}
            />
          </div>
        </details>
      )}
    </Fold>
  );
}
