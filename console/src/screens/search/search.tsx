/** The one search of the console: a button on every page, and `/`. */
import { useState } from 'react';
import { late, useLate } from '../../components/late.ts';

const code = late(() => import('./search-dialog.tsx'));

export function SearchButton({ onOpen, className }: { onOpen: () => void; className: string }) {
  return (
    <button type="button" aria-haspopup="dialog" aria-keyshortcuts="/" className={className} onClick={onOpen}>
      Search <kbd>/</kbd>
    </button>
  );
}

export function Search({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const [text, setText] = useState('');
  const loaded = useLate(code, isOpen);
  if (loaded === null) return isOpen && <Early text={text} onText={setText} />;
  const close = () => {
    setText('');
    onClose();
  };
  return <loaded.SearchDialog isOpen={isOpen} text={text} onText={setText} onClose={close} />;
}

/** Takes what is typed before the code of the dialog is there. */
function Early({ text, onText }: { text: string; onText: (text: string) => void }) {
  return (
    <div
      role="dialog"
      aria-label="Search"
      className="fixed top-[12vh] left-1/2 z-40 grid w-[440px] max-w-[calc(100vw-32px)] -translate-x-1/2 gap-3 rounded-l bg-raised px-5 py-[18px] shadow-float"
    >
      <h2>Search</h2>
      <input
        // biome-ignore lint/a11y/noAutofocus: it opens to be typed in
        autoFocus
        type="search"
        className="input"
        aria-label="Search"
        value={text}
        onChange={({ target }) => onText(target.value)}
      />
    </div>
  );
}
