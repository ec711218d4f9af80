/** A form that shows what the service refuses beside the field which it is about. */
import { type ComponentProps, createContext, use, useLayoutEffect, useRef, useState } from 'react';
import type { ApiError } from '../api/error.ts';
import { Refusal } from './pane.tsx';

interface Placed {
  readonly error: ApiError;
  readonly name: string;
  readonly text: string;
}

const PlacedError = createContext<Placed | null>(null);

/** Of the field with this name in the form around it; null without one. */
export function useFieldError(name: string | undefined): string | null {
  const placed = use(PlacedError);
  return placed !== null && placed.name === name ? placed.text : null;
}

/** @param fieldOf fields that errors are about whose texts do not begin with a field's name, by error code. */
export function Form({
  error,
  fieldOf = {},
  children,
  ...form
}: { error: ApiError | null; fieldOf?: Readonly<Record<string, string>> } & ComponentProps<'form'>) {
  const ref = useRef<HTMLFormElement>(null);
  const [placed, setPlaced] = useState<Placed | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each refusal is placed once
  useLayoutEffect(() => {
    if (error === null) return setPlaced(null);
    const found = placeOf(error, fieldOf);
    const field = found === null ? null : ref.current?.elements.namedItem(found.name);
    if (found === null || !(field instanceof HTMLElement)) return setPlaced(null);
    setPlaced({ error, ...found });
    const fold = field.closest('details');
    if (fold !== null) fold.open = true;
    field.focus();
  }, [error]);
  return (
    <form ref={ref} {...form}>
      <PlacedError value={placed?.error === error ? placed : null}>{children}</PlacedError>
    </form>
  );
}

/** Below the fields: an error that is about none of them. */
export function FormRefusal({ error }: { error: ApiError | null }) {
  return use(PlacedError) === null ? <Refusal error={error} /> : null;
}

/** The field at the start of an error's text, and the rest of the text: lists of the service are lines of the form. */
function placeOf(
  { code, message }: Pick<ApiError, 'code' | 'message'>,
  fieldOf: Readonly<Record<string, string>>,
): { name: string; text: string } | null {
  const name = fieldOf[code];
  if (name !== undefined) return { name, text: message };
  const [, first, index, rest] = /^([a-z][A-Za-z]*)(?:\.(\d+))? (.+)$/s.exec(message) ?? [];
  if (first === undefined || rest === undefined) return null;
  if (index !== undefined) return { name: first, text: `Line ${Number(index) + 1} ${rest}` };
  return { name: first, text: rest.charAt(0).toUpperCase() + rest.slice(1) };
}
