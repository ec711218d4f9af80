/** What the lists of attempts of webhooks and destinations have in common. */
import { Picker } from '../components/menu.tsx';

/** Attempts go on while one looks; lists, panels and the health are read as often. */
export const REFETCH_MS = 3_000;
export const PAGE = 50;

/** @param failed as the address has it. */
export function ResultPicker({
  failed,
  onPick,
}: {
  failed: string | undefined;
  onPick: (failed: 'true' | undefined) => void;
}) {
  return (
    <Picker
      label="Result"
      value={failed === 'true' ? 'failed' : 'all'}
      options={[
        ['all', 'All results'],
        ['failed', 'Failed'],
      ]}
      onPick={(result) => onPick(result === 'failed' ? 'true' : undefined)}
    />
  );
}

/** The status of HTTP. */
export function Status({
  status,
  isSuccess,
  className = '',
}: {
  status: number;
  isSuccess: boolean;
  className?: string;
}) {
  return (
    <span className={`${isSuccess ? 'text-ink-2' : 'font-semibold text-bad'} ${className}`}>
      {status === 0 ? 'none' : status}
    </span>
  );
}
