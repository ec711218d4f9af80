import type { Link } from '@generated/types.gen.ts';
import { use, useState } from 'react';
import { AppContext } from '../../api/app-context.ts';
import { Section } from '../../components/page.tsx';

const CHATS = ['WhatsApp', 'Slack', 'X'] as const;
type Chat = (typeof CHATS)[number];

/** How chats draw the link. The picture is named, not loaded: the console asks no other host. */
export function Card({ link }: { link: Link }) {
  const [chat, setChat] = useState<Chat>('WhatsApp');
  return (
    <Section
      title="Card"
      aside={
        <div className="flex gap-3 text-meta">
          {CHATS.map((each) => (
            <button
              key={each}
              type="button"
              aria-pressed={each === chat}
              className={each === chat ? 'font-semibold text-accent' : 'text-ink-3'}
              onClick={() => setChat(each)}
            >
              {each}
            </button>
          ))}
        </div>
      }
    >
      <div className="pt-3">
        <Drawn link={link} chat={chat} />
        {link.ogImage !== null && (
          <p className="meta pt-2 break-all">
            The picture is{' '}
            <a className="link" href={link.ogImage} target="_blank" rel="noreferrer">
              {link.ogImage}
            </a>
          </p>
        )}
      </div>
    </Section>
  );
}

const FRAMES: Readonly<Record<Chat, string>> = {
  WhatsApp: 'rounded-l bg-[#e8dfd6] p-4 text-[#12181a]',
  Slack: 'border-l-4 border-[#c5ced1] pl-3',
  X: 'overflow-hidden rounded-l border border-line',
};
const BUBBLES: Readonly<Record<Chat, string>> = {
  WhatsApp: 'overflow-hidden rounded-m bg-[#d8f7cf] p-1',
  Slack: '',
  X: '',
};

function Drawn({ link, chat }: { link: Link; chat: Chat }) {
  const { app } = use(AppContext);
  const host = URL.parse(link.shortUrl)?.host ?? '';
  const picture = link.ogImage !== null && (
    <span className="grid h-28 place-items-center bg-[#b7c4c9] text-meta text-[#12181a]">picture</span>
  );
  const isWhatsApp = chat === 'WhatsApp';
  return (
    <div className={FRAMES[chat]}>
      <div className={BUBBLES[chat]}>
        {chat !== 'Slack' && picture}
        <div className={isWhatsApp ? 'rounded-s bg-[#c8ebbd] p-2' : 'p-2 pl-0 first:pl-2'}>
          <p className="font-semibold break-words">{link.ogTitle ?? app.name}</p>
          {link.ogDescription !== null && chat !== 'X' && (
            <p className="text-meta break-words">{link.ogDescription}</p>
          )}
          <p className={`text-meta ${isWhatsApp ? 'text-[#465257]' : 'text-ink-2'}`}>{host}</p>
        </div>
        {chat === 'Slack' && picture}
        {isWhatsApp && <p className="px-1 pt-1 break-all text-[#0b5fa8]">{link.shortUrl}</p>}
      </div>
    </div>
  );
}
