/** Changes that a form or a button makes: never repeated by themselves. */
import type { Client } from '@generated/client/index.ts';
import { useMutation } from '@tanstack/react-query';
import { use, useRef } from 'react';
import { AppContext } from './app-context.ts';
import { type ApiError, toApiError } from './error.ts';

export interface Change<Input> {
  /** Does nothing while an earlier run goes on, so a button need not be disabled, which would take its focus. */
  readonly run: (input: Input) => void;
  readonly isRunning: boolean;
  readonly error: ApiError | null;
  readonly reset: () => void;
}

/** @param done after a success, with the answer. */
export function useChange<Input, Answer>(
  change: (client: Client, input: Input) => Promise<Answer>,
  done: (answer: Answer, input: Input) => void | Promise<void>,
): Change<Input> {
  const { client } = use(AppContext);
  const isBusy = useRef(false);
  const mutation = useMutation({
    mutationFn: (input: Input) => change(client, input),
    onSuccess: (answer, input) => done(answer, input),
    onSettled: () => {
      isBusy.current = false;
    },
  });
  return {
    run: (input) => {
      if (isBusy.current) return;
      isBusy.current = true;
      mutation.mutate(input);
    },
    isRunning: mutation.isPending,
    error: mutation.error === null ? null : toApiError(mutation.error),
    reset: mutation.reset,
  };
}
