import { listLinks, readOwnApp } from '@generated/sdk.gen.ts';
import type { App, Link } from '@generated/types.gen.ts';
import { type FormEvent, useState } from 'react';
import { SERVICE_URL } from '../../api/client.ts';
import { ApiError } from '../../api/error.ts';
import { useRead } from '../../api/use-read.ts';
import { baseAt, pathTyped, wrongPath } from './address-path.ts';
import { type Extras, extrasOf } from './extras.tsx';
import { type LinkFields, readFields } from './link-fields.ts';
import { isUsualPassQuery, passQueryTyped } from './pass-query.ts';
import { draftOf, type RuleDraft, ruleOf, type Wrong, wrongIn } from './rules/draft.ts';
import { useFormTexts } from './use-form-texts.ts';

/** What the form of a link holds, and how it is read. */
export function useLinkForm({
  link,
  isNew,
  address,
  onSubmit,
}: {
  link: Link | null;
  isNew: boolean;
  address: string | undefined;
  onSubmit: (fields: LinkFields) => void;
}) {
  const [wrong, setWrong] = useState<ApiError | null>(null);
  const { hasPath, ...texts } = useFormTexts(link, address);
  const [first] = useState(() => ({
    rules: (link?.rules ?? []).map(draftOf),
    // No two links have one path.
    path: isNew ? '' : (link?.path ?? ''),
  }));
  const [rules, setRules] = useState<readonly RuleDraft[]>(first.rules);
  const [extras, setExtras] = useState(() => extrasOf(link));
  const [typedPath, setTypedPath] = useState(first.path);
  const { data: app } = useRead(['app'], (client, signal) =>
    readOwnApp({ client, signal, throwOnError: true }),
  );
  const base = useBase(link, app);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!hasPath()) return;
    const path = base == null ? null : pathTyped(typedPath, base);
    const read = readFields(new FormData(event.currentTarget), isNew, new Date());
    const found = wrongOf(path) ?? ('wrong' in read ? read.wrong : null) ?? wrongIn(rules);
    setWrong(found === null ? null : new ApiError(`${found.field} ${found.text}`, 'console.wrong'));
    if (found !== null || 'wrong' in read) return;
    const passQuery = passQueryTyped(extras.passQuery);
    onSubmit({
      ...read.fields,
      // Without a host there is no field, and a path from the time of one stays.
      ...(base != null && { path }),
      rules: rules.map(ruleOf),
      passQuery: isUsualPassQuery(passQuery) ? null : passQuery,
      expiredUrl: extras.expiredUrl.trim() || null,
      goneWhenExpired: extras.goneWhenExpired,
    });
  };
  return {
    ...texts,
    ...{
      wrong,
      submit,
      app,
      base,
      rules,
      isEdited: rules !== first.rules || typedPath !== first.path,
      setRules,
      extras,
      typedPath,
      setTypedPath,
    },
    setExtra: (change: Partial<Extras>) => setExtras((before) => ({ ...before, ...change })),
  };
}

function wrongOf(path: string | null): Wrong | null {
  const text = path === null ? null : wrongPath(path);
  return text === null ? null : { field: 'path', text };
}

/** Of the app's short links at its own host; null without one, undefined while it is not known. */
function useBase(link: Link | null, app: App | undefined): string | null | undefined {
  const newest = useRead(
    ['links', 'newest'],
    (client, signal) => listLinks({ client, query: { limit: 1 }, signal, throwOnError: true }),
    { enabled: link === null },
  );
  if (app === undefined || newest.isLoading) return undefined;
  const { shortLinkHost: host } = app;
  return host === null ? null : baseAt(host, { link: link ?? newest.data?.[0], serviceUrl: SERVICE_URL });
}
