import type { Link } from '@generated/types.gen.ts';
import { type ComponentProps, useState } from 'react';
import { SERVICE_URL } from '../../api/client.ts';
import { type FormTexts, textsOf, withTaken } from './form-texts.ts';
import type { PathField, Reading } from './path-field.tsx';
import { takeApart } from './take-apart.ts';

interface State {
  readonly texts: FormTexts;
  readonly reading: Reading | null;
  /** A text in the field of the path that is meant as it is: the stored one, or one whose taking apart was undone. */
  readonly meant: string;
}

/** The texts of a link's form, in which an address in place of the path is taken apart; that can be undone. */
export function useFormTexts(link: Link | null, address: string | undefined) {
  const [{ texts, reading, meant }, setState] = useState<State>(() => {
    const stored = { texts: textsOf(link), reading: null, meant: link?.deepLinkPath ?? '' };
    return address === undefined
      ? stored
      : read({ ...stored, texts: { ...stored.texts, deepLinkPath: address } });
  });
  const set = (change: Partial<FormTexts>) =>
    setState((state) => ({ ...state, texts: { ...state.texts, ...change } }));
  const path: ComponentProps<typeof PathField> = {
    value: texts.deepLinkPath,
    reading,
    onChange: (deepLinkPath, isPasted) =>
      setState((state) => {
        const isKept = state.reading?.meaning.kind === 'address';
        const typed = {
          ...state,
          texts: { ...state.texts, deepLinkPath },
          reading: isKept ? state.reading : null,
        };
        return isPasted ? read(typed) : typed;
      }),
    onLeave: () => setState(read),
    onUndo: (before) => setState({ texts: before, reading: null, meant: before.deepLinkPath }),
  };
  return {
    ...{ texts, set, path },
    isTaken: reading?.meaning.kind === 'address',
    /** Whether the path can be sent; if not, the field says why. */
    hasPath() {
      const now = read({ texts, reading, meant });
      setState(now);
      return now.reading === reading && (reading === null || reading.meaning.kind === 'address');
    },
  };
}

function read(state: State): State {
  const { deepLinkPath } = state.texts;
  if (deepLinkPath.trim() === '' || deepLinkPath === state.meant) return state;
  const meaning = takeApart(deepLinkPath, [new URL(SERVICE_URL).host]);
  if (meaning.kind === 'path')
    return state.reading?.meaning.kind === 'address' ? state : { ...state, reading: null };
  const reading = { meaning, before: state.texts };
  if (meaning.kind !== 'address') return { ...state, reading };
  return { ...state, reading, texts: withTaken(state.texts, meaning.taken) };
}
