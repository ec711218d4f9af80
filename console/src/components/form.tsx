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
    const found = placeOf(error, fieldOf, (name) => controlOf(ref.current, name) !== null);
    const field = found === null ? null : controlOf(ref.current, found.name);
    if (found === null || field === null) return setPlaced(null);
    setPlaced({ error, ...found });
    for (
      let fold = field.closest('details');
      fold !== null;
      fold = fold.parentElement?.closest('details') ?? null
    )
      fold.open = true;
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

/** Of several with one name, such as those of tags, the last, where people type. */
function controlOf(form: HTMLFormElement | null, name: string): HTMLElement | null {
  const found = form?.elements.namedItem(name) ?? null;
  const control = found instanceof RadioNodeList ? [...found].at(-1) : found;
  return control instanceof HTMLElement ? control : null;
}

/**
 * The control that the start of an error's text names, and the rest of the text. Of `rules.0.when.to` or
 * `rules/0/when/to` it is the innermost that the form has; lists of the service are lines of the form.
 */
function placeOf(
  { code, message }: Pick<ApiError, 'code' | 'message'>,
  fieldOf: Readonly<Record<string, string>>,
  isControl: (name: string) => boolean,
): { name: string; text: string } | null {
  const name = fieldOf[code];
  if (name !== undefined) return { name, text: message };
  const [, path = '', rest = ''] = /^([a-z][A-Za-z]*(?:[./][^ ./]+)*) (.+)$/s.exec(message) ?? [];
  const parts = path.split(/[./]/);
  const known = parts.findLastIndex((_, last) => isControl(parts.slice(0, last + 1).join('.')));
  if (known === -1) return null;
  const [index, ...others] = parts.slice(known + 1);
  const isLine = index !== undefined && /^\d+$/.test(index) && others.length === 0;
  const text = isLine ? `Line ${Number(index) + 1} ${rest}` : rest.charAt(0).toUpperCase() + rest.slice(1);
  return { name: parts.slice(0, known + 1).join('.'), text };
}
