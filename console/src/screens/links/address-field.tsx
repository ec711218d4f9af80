import type { Link } from '@generated/types.gen.ts';
import { Link as RouteLink, useParams } from '@tanstack/react-router';
import { useMay } from '../../api/app-context.ts';
import { Field } from '../../components/field.tsx';
import { pathTyped, wrongPath } from './address-path.ts';

/** The path at the root of the app's own host, and what the short URL will be. */
export function AddressField({
  link,
  isNew,
  base,
  value,
  onChange,
}: {
  link: Link | null;
  isNew: boolean;
  /** URL of the short links at the app's own host; null without one, undefined while it is not known. */
  base: string | null | undefined;
  value: string;
  onChange: (text: string) => void;
}) {
  if (base === undefined) return <div className="h-24" aria-busy="true" />;
  if (base === null) return <NoHost />;
  const path = pathTyped(value, base);
  const before = isNew ? null : (link?.path ?? null);
  const isChanged = before !== null && path !== before;
  const code = isNew ? 'CODE' : (link?.shortCode ?? 'CODE');
  return (
    <div className="grid gap-2">
      <Field
        label={`Address at ${base.replace(/^https?:\/\//, '')}`}
        name="path"
        isMono
        placeholder="summer/sale"
        autoCapitalize="off"
        autoCorrect="off"
        spellCheck={false}
        value={value}
        error={path === null ? null : wrongPath(path)}
        onChange={({ target }) => onChange(target.value)}
        help={
          <>
            Short URL: <code className="[overflow-wrap:anywhere]">{`${base}/${path ?? `l/${code}`}`}</code>
            {path !== null && (
              <>
                . <code className="[overflow-wrap:anywhere]">{`/l/${code}`}</code> works too.
              </>
            )}
          </>
        }
      />
      {isChanged && (
        <div className="note" role="status">
          <b>Is it printed?</b>
          <p>
            <code className="[overflow-wrap:anywhere]">{`${base}/${before}`}</code> is this link no longer
            once you save: printed codes and shared links with it find nothing.{' '}
            <button type="button" className="link" onClick={() => onChange(before)}>
              Keep it
            </button>
          </p>
        </div>
      )}
    </div>
  );
}

function NoHost() {
  const { appId } = useParams({ from: '/$appId' });
  const isOwner = useMay('owner');
  return (
    <p className="meta">
      With a host of its own, the app’s links can have addresses such as go.example.com/summer.{' '}
      {isOwner ? (
        <>
          Set one in{' '}
          <RouteLink to="/$appId/settings" params={{ appId }} className="link">
            Settings
          </RouteLink>
          .
        </>
      ) : (
        'An owner sets one in Settings.'
      )}
    </p>
  );
}
