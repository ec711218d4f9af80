/** The rules of a link: the first whose conditions hold wins. */

import { useLayoutEffect, useRef, useState } from 'react';
import { MAX_RULES } from '../../../../../src/links/choice/rules.ts';
import { rulesThatNeverWin } from '../../../../../src/links/choice/rules-that-never-win.ts';
import { useFieldError } from '../../../components/form.tsx';
import { copyOf, newDraft, type RuleDraft, ruleOf } from './draft.ts';
import { RuleItem } from './rule-item.tsx';

const WHY = {
  over: () => 'Nobody gets it: its time is over.',
  percent: () => 'Nobody gets it: its share is 0 %.',
  version: () => 'Nobody gets this rule: no device has such a version.',
  covered: (by: number | null) => `Nobody gets it: rule ${(by ?? 0) + 1} gets all of its visitors.`,
} as const;

export function RulesField({
  drafts,
  onChange,
}: {
  drafts: readonly RuleDraft[];
  onChange: (drafts: readonly RuleDraft[]) => void;
}) {
  const list = useRef<HTMLOListElement>(null);
  const [told, setTold] = useState('');
  const [made, setMade] = useState<string | null>(null);
  /** What gets the focus after the next change: React moves elements, which lose it. */
  const next = useRef<string | null>(null);
  const error = useFieldError('rules');
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each change
  useLayoutEffect(() => {
    if (next.current !== null) list.current?.querySelector<HTMLElement>(next.current)?.focus();
    next.current = null;
  }, [drafts]);
  const idle = new Map(rulesThatNeverWin(drafts.map(ruleOf), Date.now()).map((each) => [each.place, each]));
  const isFull = drafts.length >= MAX_RULES;
  const insert = (draft: RuleDraft, place: number, text: string) => {
    if (isFull) return;
    onChange(drafts.toSpliced(place, 0, draft));
    setMade(draft.key);
    next.current = `[data-rule="${draft.key}"] summary`;
    setTold(text);
  };
  const actionsOf = (draft: RuleDraft, place: number) => ({
    set: (changed: RuleDraft) => onChange(drafts.with(place, changed)),
    move: (by: -1 | 1) => {
      const isButton = document.activeElement?.hasAttribute('data-move') === true;
      next.current = `[data-rule="${draft.key}"] ${isButton ? `[data-move="${by}"]` : 'summary'}`;
      onChange(drafts.toSpliced(place, 1).toSpliced(place + by, 0, draft));
      setTold(`Rule ${place + 1} is now rule ${place + by + 1} of ${drafts.length}.`);
    },
    duplicate: () => insert(copyOf(draft), place + 1, `Rule ${place + 1} was duplicated below it.`),
    remove: () => {
      const beside = drafts[place + 1] ?? drafts[place - 1];
      next.current = beside === undefined ? null : `[data-rule="${beside.key}"] summary`;
      onChange(drafts.toSpliced(place, 1));
      setTold(`Rule ${place + 1} was deleted.`);
    },
  });
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <p className="meta">
        {drafts.length === 0
          ? 'Everybody gets what the link says. A rule gives some visitors something else.'
          : 'The first rule that fits a visitor wins. Whom none fits gets what the link says.'}
      </p>
      {drafts.length > 0 && (
        <ol ref={list} aria-label="Rules" className="border-t border-line">
          {drafts.map((draft, place) => {
            const never = idle.get(place);
            return (
              <RuleItem
                key={draft.key}
                {...{ draft, place }}
                count={drafts.length}
                note={never === undefined ? null : WHY[never.why](never.coveredBy)}
                isFirstOpen={draft.key === made}
                actions={actionsOf(draft, place)}
              />
            );
          })}
        </ol>
      )}
      <div className="flex flex-wrap items-center gap-3">
        <button
          type="button"
          name="rules"
          className="btn"
          aria-disabled={isFull}
          onClick={() => insert(newDraft(), drafts.length, `Rule ${drafts.length + 1} was added.`)}
        >
          Add a rule
        </button>
        {isFull && <span className="meta">A link has at most {MAX_RULES} rules.</span>}
        {drafts.length > 1 && <span className="meta">Alt and the arrows move a rule.</span>}
        <span role="status" className="sr-only">
          {told}
        </span>
      </div>
      {error !== null && (
        <p role="alert" className="text-bad">
          {error}
        </p>
      )}
    </div>
  );
}
