import { type ComponentProps, type ReactNode, useId } from 'react';
import { useFieldError } from './form.tsx';

interface FieldProps {
  readonly label: string;
  readonly help?: ReactNode;
  readonly error?: string | null;
  readonly isMono?: boolean;
}

/** A labelled text field with its error beside it. */
export function Field({
  label,
  help,
  error: ownError = null,
  isMono = false,
  ...input
}: FieldProps & ComponentProps<'input'>) {
  const id = useId();
  const refused = useFieldError(input.name);
  const error = ownError ?? refused;
  return (
    <FieldFrame id={id} label={label} help={help} error={error}>
      <input
        id={id}
        className={`input ${isMono ? 'mono' : ''}`}
        aria-invalid={error !== null || undefined}
        aria-describedby={`${id}-more`}
        {...input}
      />
    </FieldFrame>
  );
}

export function TextArea({
  label,
  help,
  error: ownError = null,
  isMono = false,
  ...input
}: FieldProps & ComponentProps<'textarea'>) {
  const id = useId();
  const refused = useFieldError(input.name);
  const error = ownError ?? refused;
  return (
    <FieldFrame id={id} label={label} help={help} error={error}>
      <textarea
        id={id}
        rows={3}
        className={`input ${isMono ? 'mono' : ''}`}
        aria-invalid={error !== null || undefined}
        aria-describedby={`${id}-more`}
        {...input}
      />
    </FieldFrame>
  );
}

export function Choice({
  label,
  help,
  options,
  ...select
}: FieldProps & ComponentProps<'select'> & { options: readonly (readonly [value: string, text: string])[] }) {
  const id = useId();
  const error = useFieldError(select.name);
  return (
    <FieldFrame id={id} label={label} help={help} error={error}>
      <select
        id={id}
        className="input"
        aria-invalid={error !== null || undefined}
        aria-describedby={`${id}-more`}
        {...select}
      >
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </FieldFrame>
  );
}

export function Check({ label, help, ...input }: { label: string; help?: string } & ComponentProps<'input'>) {
  return (
    <label className="flex items-start gap-2 py-1">
      <input type="checkbox" className="check mt-0.5 flex-none" {...input} />
      <span>
        {label}
        {help !== undefined && <span className="meta block">{help}</span>}
      </span>
    </label>
  );
}

/** The label above a control, the error and the help below it. */
export function FieldFrame({
  id,
  label,
  help,
  error,
  children,
}: FieldProps & { id: string; children: ReactNode }) {
  return (
    <div className="grid content-start gap-1.5">
      <label htmlFor={id} className="font-semibold">
        {label}
      </label>
      {children}
      <div id={`${id}-more`} className="meta empty:hidden">
        {error !== null && (
          <span role="alert" className="block text-bad">
            {error}
          </span>
        )}
        {help}
      </div>
    </div>
  );
}
