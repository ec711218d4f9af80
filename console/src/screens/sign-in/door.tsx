import type { ReactNode } from 'react';
import { SERVICE_URL } from '../../api/client.ts';
import { useTitle } from '../../components/use-title.ts';

/** The frame of the pages before an app: one narrow column. */
export function Door({ title, children }: { title: string; children: ReactNode }) {
  useTitle(title);
  return (
    <div className="flex min-h-screen flex-col">
      <main className="mx-auto grid w-full max-w-[392px] flex-1 content-center gap-5 px-4 py-10">
        <Line />
        <div className="pt-6">
          <h1>{title}</h1>
          <p className="text-ink-2">{new URL(SERVICE_URL).host}</p>
        </div>
        {children}
      </main>
      <footer className="meta flex flex-wrap justify-between gap-x-4 border-t border-line px-8 py-4 max-phone:px-4">
        <span>No request leaves this host.</span>
        <a href={`${SERVICE_URL}docs/`} className="link">
          Help
        </a>
      </footer>
    </div>
  );
}

function Line() {
  return (
    <div aria-hidden="true" className="flex items-center gap-0.5 text-accent">
      <span className="size-3 rounded-full border-2 border-current" />
      <span className="h-0.5 flex-1 bg-current" />
      <span className="ml-0.5 size-3 rounded-full bg-current" />
    </div>
  );
}
