import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Step } from './steps.ts';

const route = getRouteApi('/$appId/set-up');

/** @param code of the step, folded away if it is done already. */
export function StepItem({ step, code }: { step: Step; code: ReactNode }) {
  const { appId } = route.useParams();
  const { name, text, state, to, action } = step;
  // Stays unfolded when the step ticks itself off: the code may have a key that is shown once only.
  const [isUnfolded, setUnfolded] = useState(state !== 'done');
  const isOpen = state === 'mend' || state === 'next';
  return (
    <li className="grid grid-cols-[20px_minmax(0,1fr)] gap-x-3.5 border-b border-line py-4 first:pt-0 last:border-0">
      <Icon state={state} />
      <div className="min-w-0">
        <h2
          className={
            state === 'mend'
              ? 'text-bad'
              : state === 'next'
                ? ''
                : `font-normal! ${state === 'waiting' ? 'text-ink-2' : ''}`
          }
        >
          {name}
          <span className="sr-only">{`, ${WORDS[state]}`}</span>
        </h2>
        <p className="break-words whitespace-pre-line text-ink-2">{text}</p>
        {code !== null &&
          (isUnfolded ? (
            code
          ) : (
            <button type="button" className="link" onClick={() => setUnfolded(true)}>
              Show the code
            </button>
          ))}
        {isOpen && to !== null && (
          <p className="pt-2">
            <Link to={to} params={{ appId }} className="btn">
              {action}
            </Link>
          </p>
        )}
      </div>
    </li>
  );
}

const WORDS = { done: 'done', mend: 'fails', next: 'next', waiting: 'waiting' } as const;

function Icon({ state }: { state: Step['state'] }) {
  return (
    <svg
      viewBox="0 0 20 20"
      aria-hidden="true"
      className={`size-5 ${state === 'mend' ? 'text-bad' : state === 'waiting' ? 'text-line-strong' : 'text-accent'}`}
    >
      {state === 'done' && (
        <>
          <circle cx="10" cy="10" r="9" fill="currentColor" />
          <path d="m6 10.5 2.7 2.7L14 7.5" fill="none" className="stroke-surface" strokeWidth="1.75" />
        </>
      )}
      {state === 'mend' && (
        <>
          <circle cx="10" cy="10" r="8" fill="none" stroke="currentColor" strokeWidth="1.75" />
          <path d="M10 5.5v5.5M10 13v1.75" fill="none" stroke="currentColor" strokeWidth="1.75" />
        </>
      )}
      {state === 'next' && (
        <>
          <circle cx="10" cy="10" r="8" fill="none" stroke="currentColor" strokeWidth="1.75" />
          <circle cx="10" cy="10" r="3.5" fill="currentColor" />
        </>
      )}
      {state === 'waiting' && (
        <circle
          cx="10"
          cy="10"
          r="8"
          fill="none"
          stroke="currentColor"
          strokeWidth="1.5"
          strokeDasharray="2.5 2.5"
        />
      )}
    </svg>
  );
}
