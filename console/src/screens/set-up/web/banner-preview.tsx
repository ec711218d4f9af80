import { createWeb } from '@web/index.ts';
import { useEffect, useRef } from 'react';
import type { Look, Target } from './web-snippets.ts';

/** The banner that pages get, drawn by the same code. */
export function BannerPreview({ target: { base, code }, look }: { target: Target; look: Look }) {
  const screen = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = screen.current;
    if (element === null) return;
    const { theme, ...others } = look;
    const banner = createWeb({ host: base, session: false }).banner({
      ...others,
      ...(theme !== 'auto' && { theme }),
      ...{ code, element, force: true },
    });
    return () => banner.destroy();
  }, [base, code, look]);
  return (
    <div role="img" aria-label="Preview of the banner on a phone" className="w-[280px] max-w-full">
      {/* What is fixed to the screen is fixed to this element. Nobody leaves the console by it. */}
      <div
        ref={screen}
        inert
        className="relative h-[440px] transform-gpu overflow-hidden rounded-[28px] border-4 border-line-strong bg-sunken"
      >
        <div className="grid gap-3 px-5 pt-24">
          {LINES.map((width, line) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: they never change
            <span key={line} className={`h-2.5 rounded-s bg-line ${width}`} />
          ))}
        </div>
      </div>
    </div>
  );
}

/** Of a text that nobody reads. */
const LINES = ['w-1/2', 'w-full', 'w-11/12', 'w-full', 'w-3/4', 'mt-4 w-full', 'w-5/6', 'w-2/3'];
