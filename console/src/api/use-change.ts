/** Changes that a form or a button makes: never repeated by themselves. */
import type { Client } from '@generated/client/index.ts';
import { useMutation } from '@tanstack/react-query';
import { use } from 'react';
import { AppContext } from './app-context.ts';
import { type ApiError, toApiError } from './error.ts';

export interface Change<Input> {
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
  const mutation = useMutation({
    mutationFn: (input: Input) => change(client, input),
    onSuccess: (answer, input) => done(answer, input),
  });
  return {
    run: (input) => mutation.mutate(input),
    isRunning: mutation.isPending,
    error: mutation.error === null ? null : toApiError(mutation.error),
    reset: mutation.reset,
  };
}
