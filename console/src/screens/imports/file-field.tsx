import { type DragEvent, useId, useRef, useState } from 'react';
import type { ApiError } from '../../api/error.ts';
import { Refusal } from '../../components/pane.tsx';
import { formatBytes } from '../../formats.ts';

/** A file that is chosen, or dropped on it. */
export function FileField({
  file,
  isReading,
  error,
  onPick,
}: {
  file: File | null;
  isReading: boolean;
  error: ApiError | null;
  onPick: (file: File) => void;
}) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const drag = (event: DragEvent) => {
    event.preventDefault();
    setOver(event.type === 'dragover');
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the field within does the same for the keyboard
    <div
      data-drop=""
      className={`grid gap-1.5 rounded-m border border-dashed px-4 py-3 ${isOver ? 'border-accent bg-accent-soft' : 'border-line-control'}`}
      onDragOver={drag}
      onDragLeave={drag}
      onDrop={(event) => {
        drag(event);
        const dropped = event.dataTransfer.files[0];
        if (dropped === undefined) return;
        if (field.current !== null) field.current.files = event.dataTransfer.files;
        onPick(dropped);
      }}
    >
      <label htmlFor={id} className="font-semibold">
        File
      </label>
      <input
        ref={field}
        id={id}
        type="file"
        accept=".csv,.tsv,.txt,.json,.ndjson,.jsonl,text/csv,application/json"
        aria-describedby={`${id}-more`}
        className="max-w-full file:mr-3 file:h-(--control) file:rounded-m file:border file:border-solid file:border-line-control file:bg-surface file:px-3 hover:file:bg-hover"
        onChange={({ target }) => {
          const picked = target.files?.[0];
          if (picked !== undefined) onPick(picked);
        }}
        // So that the same file can be chosen again after it was mended.
        onClick={({ currentTarget }) => {
          currentTarget.value = '';
        }}
      />
      <p id={`${id}-more`} className="meta">
        CSV or JSON as text, at most 50 MB and a million rows. You can drop it here.
      </p>
      <p role="status" className="break-words empty:hidden">
        {isReading ? 'Reading its beginning' : file !== null && <Named file={file} />}
      </p>
      <Refusal error={error} />
    </div>
  );
}

function Named({ file }: { file: File }) {
  return (
    <>
      <b>{file.name}</b> <span className="text-ink-3">{formatBytes(file.size)}</span>
    </>
  );
}
