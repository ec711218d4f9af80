import type { ReactNode } from 'react';
import { useTitle } from './use-title.ts';

/** The head of a page: its name, what narrows it down, and its actions. */
export function Head({
  title,
  above,
  heading,
  children,
}: {
  title: string;
  above?: ReactNode;
  heading?: ReactNode;
  children?: ReactNode;
}) {
  useTitle(title);
  return (
    <>
      {above !== undefined && (
        <nav aria-label="You are here" className="meta">
          {above}
        </nav>
      )}
      <div className="flex min-h-10 flex-wrap items-center gap-2">
        <h1 className="mr-2 min-w-0">{heading ?? title}</h1>
        {children}
      </div>
    </>
  );
}

/** A part of a page below a hairline. */
export function Section({
  title,
  aside,
  children,
  className = '',
}: {
  title: ReactNode;
  aside?: ReactNode;
  children: ReactNode;
  className?: string;
}) {
  return (
    <section className={`min-w-0 pt-8 ${className}`}>
      <header className="flex min-h-[38px] flex-wrap items-center gap-x-4 border-b border-line">
        {typeof title === 'string' ? <h2>{title}</h2> : title}
        {aside !== undefined && <div className="ml-auto flex min-w-0 items-center gap-2">{aside}</div>}
      </header>
      {children}
    </section>
  );
}

/** Nothing to show: why, and the one thing to do about it. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="grid max-w-[64ch] justify-items-start gap-2 py-5">
      <p>
        <b>{title}</b>
      </p>
      {children}
    </div>
  );
}

/** What may be wider than the page scrolls in itself, for keyboards too. */
export function Wide({ name, children }: { name: string; children: ReactNode }) {
  return (
    <section
      aria-label={name}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it sideways
      tabIndex={0}
      className="wide"
    >
      {children}
    </section>
  );
}
