import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { type FormEvent, useRef, useState } from 'react';
import { type ApiError, toApiError } from '../../api/error.ts';
import { isPath } from '../../api/is-path.ts';
import { type Session, sessionQuery } from '../../api/session.ts';

export interface Entry {
  readonly error: ApiError | null;
  readonly isRunning: boolean;
  readonly submit: (event: FormEvent<HTMLFormElement>) => void;
}

/** A form that begins a session, and goes on to `next`, by default the overview. */
export function useEntry(enter: (field: (name: string) => string) => Promise<Session>, next?: string): Entry {
  const [error, setError] = useState<ApiError | null>(null);
  const [isRunning, setRunning] = useState(false);
  const queries = useQueryClient();
  const router = useRouter();
  const isBusy = useRef(false);
  const run = async (form: FormData) => {
    if (isBusy.current) return;
    isBusy.current = true;
    setRunning(true);
    try {
      const session = await enter((name) => String(form.get(name) ?? ''));
      queries.clear();
      queries.setQueryData(sessionQuery.queryKey, session);
      router.history.push(addressOf(isPath(next) ? next : '/'));
      await router.invalidate();
    } catch (failure) {
      setError(toApiError(failure));
    } finally {
      isBusy.current = false;
      setRunning(false);
    }
  };
  return {
    error,
    isRunning,
    submit: (event) => {
      event.preventDefault();
      void run(new FormData(event.currentTarget));
    },
  };
}

/** The router names pages without the path of the console; the browser's history has it. */
function addressOf(page: string): string {
  return new URL(document.baseURI).pathname.replace(/\/$/, '') + page;
}
