import { useState } from 'react';
import { useMay } from '../../api/app-context.ts';
import { Empty, Head, Section } from '../../components/page.tsx';
import { FindPerson } from './find-person.tsx';
import { FoundPerson } from './found-person.tsx';
import type { Found } from './person.ts';
import { Requests } from './requests.tsx';
import { Retention } from './retention.tsx';

export function Privacy() {
  return (
    <>
      <Head title="Privacy" />
      {useMay('editor') ? <OnePerson /> : <ReadOnly />}
      <Requests />
      <Retention />
    </>
  );
}

function OnePerson() {
  const [found, setFound] = useState<Found | null>(null);
  return (
    <div className="grid grid-cols-2 gap-x-12 max-wide:grid-cols-1">
      <FindPerson onFound={setFound} />
      {found !== null && <FoundPerson found={found} onErased={() => setFound(null)} />}
    </div>
  );
}

function ReadOnly() {
  return (
    <Section title="A person’s records">
      <Empty title="Your role does not include this">
        <p className="text-ink-2">Editors and owners export and erase what the app holds about a person.</p>
      </Empty>
    </Section>
  );
}
