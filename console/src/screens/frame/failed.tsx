import type { ErrorComponentProps } from '@tanstack/react-router';
import { toApiError } from '../../api/error.ts';
import { Failure } from '../../components/pane.tsx';

/** A page whose address or code fails. */
export function Failed({ error, reset }: ErrorComponentProps) {
  return (
    <div className="mx-auto max-w-[640px] p-(--gutter)">
      <Failure error={toApiError(error)} retry={reset} />
    </div>
  );
}
