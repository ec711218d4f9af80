import type { ReactNode } from 'react';
import { Section } from '../../components/page.tsx';

export function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Section title={title}>
      <div className="grid max-w-[880px] grid-cols-2 gap-x-6 gap-y-4 pt-4 max-phone:grid-cols-1">
        {children}
      </div>
    </Section>
  );
}

export const PAGES = [
  ['auto', 'Where a redirect would lose the match'],
  ['always', 'Always'],
  ['never', 'Never'],
] as const;
