import { listLinks } from '@generated/sdk.gen.ts';
import { Link, useParams } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import { useMay } from '../../api/app-context.ts';
import { useRead } from '../../api/use-read.ts';
import { Field } from '../../components/field.tsx';
import { Pane } from '../../components/pane.tsx';
import { linkAddress, linkName } from '../links/link-name.ts';

const SHOWN = 6;

/** The newest links, or those that match the typed text. */
export function LinkChooser({ onPick }: { onPick: (shortCode: string) => void }) {
  const [text, setText] = useState('');
  const search = useDeferredValue(text.trim());
  const query = { limit: SHOWN, ...(search === '' ? { madeBy: 'team' as const } : { search }) };
  const read = useRead(['links', 'chooser', query], (client, signal) =>
    listLinks({ client, query, signal, throwOnError: true }),
  );
  return (
    <>
      <Field
        label="Link"
        type="search"
        placeholder="Code, campaign, path, title"
        maxLength={255}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <Pane read={read} rows={SHOWN}>
        {(links) => (
          <ul className="pt-1">
            {links.length === 0 && <NoLinks isSearched={search !== ''} />}
            {links.map((link) => (
              <li key={link.id}>
                <button
                  type="button"
                  className="flex min-h-(--row) w-full items-center gap-2 rounded-s px-2 text-left hover:bg-hover"
                  onClick={() => onPick(link.shortCode)}
                >
                  <bdi className="max-w-1/2 flex-none truncate font-semibold">{linkName(link)}</bdi>
                  {link.title !== null && (
                    <span className="min-w-0 truncate text-ink-2">{linkAddress(link)}</span>
                  )}
                  {link.title === null && link.ogTitle !== null && (
                    <span className="min-w-0 truncate text-ink-2">{link.ogTitle}</span>
                  )}
                  {link.sandbox && <span className="tag">sandbox</span>}
                </button>
              </li>
            ))}
          </ul>
        )}
      </Pane>
    </>
  );
}

function NoLinks({ isSearched }: { isSearched: boolean }) {
  const { appId } = useParams({ from: '/$appId' });
  const mayEdit = useMay('editor');
  return (
    <li className="grid justify-items-start gap-2 py-2">
      {isSearched ? 'No link has this in its code, campaign, path or title.' : 'No links yet.'}
      {mayEdit ? (
        <Link to="/$appId/links/new" params={{ appId }} className="btn">
          New link
        </Link>
      ) : (
        !isSearched && <span className="meta">An editor of this app can make one.</span>
      )}
    </li>
  );
}
