import { useRef, useState } from 'react';
import { type ApiError, toApiError } from '../../api/error.ts';
import { type ChosenFile, readFile } from './chosen-file.ts';
import type { TableFields } from './columns-field.tsx';
import { guessOf, type Mapping } from './mapping.ts';
import type { ImportSource } from './sources.ts';

export interface Chosen {
  readonly source: ImportSource | null;
  readonly picked: File | null;
  /** Null until its beginning is read, or if it is refused. */
  readonly read: (ChosenFile & { readonly fields: TableFields }) | null;
  readonly mapping: Mapping;
  readonly error: ApiError | null;
  readonly isReading: boolean;
  readonly pickSource: (source: ImportSource) => void;
  readonly pickFile: (file: File) => void;
  readonly setMapping: (mapping: Mapping) => void;
}

interface State extends Pick<Chosen, 'source' | 'picked' | 'read' | 'mapping' | 'error' | 'isReading'> {}

/** The service and the file of an import, whose beginning is read anew with each choice. */
export function useChosen(first: ImportSource | null): Chosen {
  const [state, setState] = useState<State>({
    ...{ source: first, picked: null, read: null, mapping: [], error: null, isReading: false },
  });
  const turn = useRef(0);
  const look = async (source: ImportSource | null, picked: File | null) => {
    const own = ++turn.current;
    const start = { source, picked, read: null, mapping: [], error: null };
    setState({ ...start, isReading: source !== null && picked !== null });
    if (source === null || picked === null) return;
    let end: Partial<State>;
    try {
      const chosen = await readFile(picked, source);
      const { TABLE_FIELDS, REQUIRED_FIELDS } = await import('@service/links/import/file-head.ts');
      const fields = { all: TABLE_FIELDS, required: REQUIRED_FIELDS };
      end = { read: { ...chosen, fields }, mapping: guessOf(chosen.head.columns) };
    } catch (error) {
      end = { error: toApiError(error) };
    }
    if (own === turn.current) setState({ ...start, isReading: false, ...end });
  };
  return {
    ...state,
    pickSource: (source) => void look(source, state.picked),
    pickFile: (file) => void look(state.source, file),
    setMapping: (mapping) => setState((before) => ({ ...before, mapping })),
  };
}
