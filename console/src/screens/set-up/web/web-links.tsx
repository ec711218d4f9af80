/** The banner for web pages: its code to copy, and how it looks. */
import { listLinks } from '@generated/sdk.gen.ts';
import type { App, Link } from '@generated/types.gen.ts';
import { useState } from 'react';
import { SERVICE_URL } from '../../../api/client.ts';
import { useRead } from '../../../api/use-read.ts';
import { CodeBlock } from '../../../components/code-block.tsx';
import { CopyButton } from '../../../components/copy-button.tsx';
import { Choice, Field } from '../../../components/field.tsx';
import { Section } from '../../../components/page.tsx';
import { baseAt } from '../../links/address-path.ts';
import { linkName } from '../../links/link-name.ts';
import { BannerPreview } from './banner-preview.tsx';
import { LANGUAGES, type Language, wordsIn } from './banner-texts.ts';
import { type Look, moduleSnippet, scriptSnippet, type Target, targetOf } from './web-snippets.ts';

/** To choose from, the newest first. */
const MOST_LINKS = 100;
/** Stands in the code until there is a link. */
const PLACE_OF_CODE = 'CODE';
const POSITIONS = [
  ['bottom', 'Bar at the bottom'],
  ['top', 'Bar at the top'],
  ['pill', 'Floating pill'],
] as const;
const THEMES = [
  ['auto', 'As the phone has it'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const;

export function WebLinks({ app }: { app: App }) {
  const { data: newest = [] } = useRead(['links', 'newest-active'], (client, signal) =>
    listLinks({ client, query: { limit: MOST_LINKS, state: 'active' }, signal, throwOnError: true }),
  );
  const links = newest.filter(isForEverybody);
  const [chosen, setChosen] = useState('');
  const link = links.find(({ shortCode }) => shortCode === chosen) ?? links[0];
  const target = link === undefined ? targetWithout(app) : targetOf(link);
  const [look, setLook] = useState<Look>({
    ...{ title: app.name, ...wordsIn('en'), language: 'en' },
    ...{ position: 'bottom', theme: 'auto', color: '#006882' },
  });
  const set = (changed: Partial<Look>) => setLook({ ...look, ...changed });
  // A banner needs a title.
  const shown = { ...look, title: look.title.trim() || app.name };
  return (
    <Section title="On web pages">
      <div className="grid grid-cols-[minmax(0,1fr)_280px] gap-x-16 gap-y-6 pt-4 max-wide:grid-cols-1">
        <div className="grid grid-cols-[minmax(0,1fr)] content-start gap-4">
          <p className="max-w-[72ch] text-ink-2">
            A banner on the phones and tablets of your site’s visitors. Its link is a click like any other:
            who installs the app by it gets the screen of the page
            {target.passPath ? '.' : ', if the link carries paths on.'}
          </p>
          {link !== undefined && (
            <Choice
              label="Link"
              options={links.map((each) => [each.shortCode, linkName(each)])}
              value={link.shortCode}
              onChange={({ target: { value } }) => setChosen(value)}
            />
          )}
          <LookFields look={look} set={set} />
          <Snippets target={target} look={shown} />
          {link === undefined && (
            <p className="meta">
              In place of <code>{PLACE_OF_CODE}</code>: the code of a link, once you made one.
            </p>
          )}
        </div>
        <BannerPreview target={target} look={shown} />
      </div>
    </Section>
  );
}

/** While there is no link. */
function targetWithout({ shortLinkHost }: App): Target {
  const host = shortLinkHost ?? new URL(SERVICE_URL).hostname;
  const base = baseAt(host, { link: undefined, serviceUrl: SERVICE_URL });
  return { base, code: PLACE_OF_CODE, passPath: false };
}

/** A person's share link would name that person as the inviter of all, and sandbox clicks count nothing live. */
function isForEverybody({ sandbox, metadata }: Link): boolean {
  return !sandbox && typeof metadata.invitedBy !== 'string';
}

function LookFields({ look, set }: { look: Look; set: (changed: Partial<Look>) => void }) {
  return (
    <div className="grid grid-cols-3 gap-4 max-phone:grid-cols-1">
      <Choice
        label="Language"
        options={LANGUAGES.map(([code, name]) => [code, name])}
        value={look.language}
        onChange={({ target: { value } }) => set({ language: value, ...wordsIn(value as Language) })}
      />
      <Field
        label="Title"
        name="title"
        maxLength={60}
        value={look.title}
        onChange={({ target }) => set({ title: target.value })}
      />
      <Field
        label="Text"
        maxLength={120}
        value={look.text}
        onChange={({ target }) => set({ text: target.value })}
      />
      <Field
        label="Button"
        maxLength={30}
        value={look.button}
        onChange={({ target }) => set({ button: target.value })}
      />
      <Choice
        label="Place"
        options={POSITIONS}
        value={look.position}
        onChange={({ target }) => set({ position: target.value as Look['position'] })}
      />
      <Choice
        label="Colours"
        options={THEMES}
        value={look.theme}
        onChange={({ target }) => set({ theme: target.value as Look['theme'] })}
      />
      <label className="grid content-start gap-1.5">
        <span className="font-semibold">Colour of the button</span>
        <span className="flex items-center gap-2">
          <input
            type="color"
            value={look.color}
            className="size-8"
            onChange={({ target }) => set({ color: target.value })}
          />
          <code>{look.color}</code>
        </span>
      </label>
    </div>
  );
}

/** Until the package is on npm. */
const PACK = `npm ci
npm pack -w packages/web --pack-destination /path/to/the/site`;

function Snippets({ target, look }: { target: Target; look: Look }) {
  const [isModule, setModule] = useState(false);
  const pieces: readonly (readonly [place: string, text: string])[] = isModule
    ? [
        ['In a copy of Throughline: the package is not on npm yet, so it is packed here', PACK],
        ['In the folder of the site', 'npm install ./throughline-web-*.tgz'],
        ['Where each page starts', moduleSnippet(target, look)],
      ]
    : [['In each page', scriptSnippet(target, look)]];
  return (
    <>
      <div className="tabs">
        {[false, true].map((each) => (
          <button
            key={String(each)}
            type="button"
            aria-pressed={each === isModule}
            onClick={() => setModule(each)}
          >
            {each ? 'npm' : 'Script'}
          </button>
        ))}
      </div>
      {pieces.map(([place, text]) => (
        <div key={place}>
          <p className="meta flex min-h-8 flex-wrap items-center justify-between gap-2 pb-1">
            {place} <CopyButton className="btn btn-quiet" text={text} />
          </p>
          <CodeBlock label={place} text={text} />
        </div>
      ))}
    </>
  );
}
