import { useSyncExternalStore } from 'react';
import { exporting, onExporting, setExport } from '../../components/exporting.ts';
import { Refusal } from '../../components/pane.tsx';
import { plural } from '../../formats.ts';

/** Stays below every page while an export runs, and says how it ended. */
export function ExportProgress() {
  const job = useSyncExternalStore(onExporting, exporting);
  if (job === null) return null;
  const { name, rows, total, state, error, cancel } = job;
  const isRunning = state === 'running';
  return (
    <section
      aria-label="Export"
      className="fixed right-4 bottom-4 z-20 flex max-w-[calc(100vw-32px)] flex-wrap items-center gap-x-4 gap-y-2 rounded-l bg-raised px-4 py-3 shadow-float"
    >
      <div className="min-w-0">
        <p className="break-all">
          {isRunning ? 'Exporting' : state === 'done' ? 'Saved' : 'Not saved:'} <b>{name}</b>
        </p>
        <p className="meta" role="status">
          {isRunning && total !== null ? `${plural(rows, 'row')} so far, of ${total}` : plural(rows, 'row')}
        </p>
        <Refusal error={error} />
      </div>
      <button type="button" className="btn" onClick={isRunning ? cancel : () => setExport(null)}>
        {isRunning ? 'Cancel' : 'Close'}
      </button>
    </section>
  );
}
