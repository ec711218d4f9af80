import type { Destination, DestinationType } from '@generated/types.gen.ts';
import type { FormEvent, ReactNode } from 'react';
import type { ApiError } from '../../api/error.ts';
import { Field } from '../../components/field.tsx';
import { Form, FormRefusal } from '../../components/form.tsx';
import { Unsaved } from '../../components/unsaved.tsx';
import { ConsentChoice, FirstSwitch, MappingFold, RecordsChoice } from './choices.tsx';
import { ConfigControls } from './config-controls.tsx';
import { fieldsOf } from './config-fields.ts';
import { type DestinationFields, readForm } from './read-form.ts';

interface DestinationFormProps {
  readonly type: DestinationType;
  /** Null for one that is not made yet. */
  readonly destination: Destination | null;
  readonly action: string;
  readonly error: ApiError | null;
  readonly isRunning: boolean;
  readonly onSubmit: (fields: DestinationFields) => void;
  /** Other buttons. */
  readonly children: ReactNode;
}

export function DestinationForm({
  type,
  destination,
  action,
  error,
  isRunning,
  onSubmit,
  children,
}: DestinationFormProps) {
  const fields = fieldsOf(type);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onSubmit(readForm(new FormData(event.currentTarget), fields, destination === null));
  };
  return (
    <Form error={error} className="grid max-w-[560px] grid-cols-[minmax(0,1fr)] gap-4 pt-4" onSubmit={submit}>
      <Unsaved />
      <p className="text-ink-2">
        <a href={type.documentation} className="link" target="_blank" rel="noreferrer">
          What {type.title} takes
        </a>
      </p>
      <Field
        label="Name"
        name="name"
        required
        maxLength={100}
        defaultValue={destination?.name ?? type.title}
        help="For your team."
      />
      <ConfigControls fields={fields} destination={destination} />
      <RecordsChoice destination={destination} />
      <ConsentChoice destination={destination} />
      <MappingFold type={type} destination={destination} />
      {destination === null && <FirstSwitch />}
      <FormRefusal error={error} />
      <div className="flex flex-wrap gap-2">
        <button type="submit" className="btn btn-main" aria-disabled={isRunning}>
          {action}
        </button>
        {children}
      </div>
    </Form>
  );
}
