import { useState } from 'react';
import { Field } from '../../../components/field.tsx';
import { Caret } from '../../../components/menu.tsx';
import { Conditions } from './conditions.tsx';
import { type RuleDraft, ruleOf } from './draft.ts';
import { Outcome } from './outcome.tsx';
import { ruleSentence } from './words.ts';

export interface RuleActions {
  readonly set: (draft: RuleDraft) => void;
  readonly move: (by: -1 | 1) => void;
  readonly duplicate: () => void;
  readonly remove: () => void;
}

/** Closed a sentence, open its fields. Alt with the arrows moves it, as the two buttons do. */
export function RuleItem({
  draft,
  place,
  count,
  note,
  isFirstOpen,
  actions,
}: {
  draft: RuleDraft;
  place: number;
  count: number;
  /** Why it never wins; null if it may. */
  note: string | null;
  isFirstOpen: boolean;
  actions: RuleActions;
}) {
  // Of the first time: React would close what the user opened.
  const [isOpen] = useState(isFirstOpen);
  const { set, move, duplicate, remove } = actions;
  const prefix = `rules.${place}.`;
  const title = draft.name.trim() === '' ? `Rule ${place + 1}` : draft.name.trim();
  return (
    <li data-rule={draft.key} className="relative border-b border-line">
      <div className="absolute top-1 right-0 flex gap-1">
        {(
          [
            [-1, 'rotate-180', 'earlier', place > 0],
            [1, '', 'later', place < count - 1],
          ] as const
        ).map(([by, turn, word, can]) => (
          <button
            key={word}
            type="button"
            data-move={by}
            className="btn btn-quiet"
            aria-label={`Move ${title} ${word}`}
            aria-disabled={!can}
            onClick={() => can && move(by)}
          >
            <span className={`grid size-4 place-items-center ${turn}`}>
              <Caret />
            </span>
          </button>
        ))}
      </div>
      <details open={isOpen}>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: a summary is a control with the focus of the keyboard */}
        <summary
          className="min-h-(--row) py-2 pr-24 [overflow-wrap:anywhere]"
          onKeyDown={(event) => {
            const by = event.altKey ? { ArrowUp: -1 as const, ArrowDown: 1 as const }[event.key] : undefined;
            if (by === undefined) return;
            event.preventDefault();
            if (place + by >= 0 && place + by < count) move(by);
          }}
        >
          <b>{title}</b> <span className="text-ink-2">{ruleSentence(ruleOf(draft), place)}</span>
          {note !== null && <span className="meta block text-bad">{note}</span>}
        </summary>
        <div className="grid grid-cols-[minmax(0,1fr)] gap-5 pt-1 pb-4 pl-4 max-phone:pl-0">
          <Field
            label="Name"
            name={`${prefix}name`}
            maxLength={64}
            value={draft.name}
            help="For your team: clicks show it."
            onChange={({ target }) => set({ ...draft, name: target.value })}
          />
          <Conditions when={draft.when} prefix={prefix} onChange={(when) => set({ ...draft, when })} />
          <Outcome
            then={draft.then}
            platform={draft.when.platform}
            prefix={prefix}
            onChange={(then) => set({ ...draft, then })}
          />
          <div className="flex flex-wrap gap-2">
            <button type="button" className="btn" onClick={duplicate}>
              Duplicate
            </button>
            <button type="button" className="btn btn-quiet" onClick={remove}>
              Delete this rule
            </button>
          </div>
        </div>
      </details>
    </li>
  );
}
