import type { ErasureCounts } from '@generated/types.gen.ts';
import { useEffect, useRef, useState } from 'react';
import { Section } from '../../components/page.tsx';
import { formatCount } from '../../formats.ts';
import { EraseDialog } from './erase-dialog.tsx';
import { ExportDialog } from './export-dialog.tsx';
import { type Found, inWords, isNothing, KINDS, nameOf, without } from './person.ts';

/** What the app holds about a person, and what can be done with it. */
export function FoundPerson({ found, onErased }: { found: Found; onErased: () => void }) {
  const { person, counted } = found;
  const [spareShared, setSpareShared] = useState(false);
  const [dialog, setDialog] = useState<'export' | 'erase' | null>(null);
  const counts = spareShared ? without(counted.counts, counted.shared) : counted.counts;
  const close = () => setDialog(null);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const title = (
    <h2 ref={heading} tabIndex={-1} className="min-w-0 break-words">
      Found of {nameOf(person)}
    </h2>
  );
  if (isNothing(counted.counts) && counted.isComplete)
    return (
      <Section title={title}>
        <p className="max-w-[64ch] pt-4" role="status">
          Nothing. The app holds no records of {nameOf(person)}, or they are erased already.
        </p>
      </Section>
    );
  return (
    <Section title={title}>
      <Counts counts={counted.counts} shared={counted.shared} />
      {!counted.isComplete && (
        <p className="note mt-3">
          There is more: counting stopped after 20 seconds. An erasure goes on until nothing is left.
        </p>
      )}
      <Shared
        shared={counted.shared}
        byAddressAlone={person.userId === undefined}
        isSpared={spareShared}
        onSpare={setSpareShared}
      />
      <div className="flex flex-wrap gap-2 pt-4">
        <button type="button" className="btn" onClick={() => setDialog('export')}>
          Export …
        </button>
        {isNothing(counts) && counted.isComplete ? (
          <span className="self-center text-ink-2">Without them, nothing is left to erase.</span>
        ) : (
          <button type="button" className="btn btn-danger" onClick={() => setDialog('erase')}>
            Erase …
          </button>
        )}
      </div>
      <ExportDialog person={person} isOpen={dialog === 'export'} onClose={close} />
      <EraseDialog
        person={person}
        loss={`${counted.isComplete ? '' : 'more than '}${inWords(counts)}`}
        spareShared={spareShared}
        isOpen={dialog === 'erase'}
        onClose={close}
        onErased={onErased}
      />
    </Section>
  );
}

function Counts({ counts, shared }: { counts: ErasureCounts; shared: ErasureCounts }) {
  return (
    <table className="table" aria-label="Records by kind">
      <thead>
        <tr>
          <th scope="col">Records</th>
          <th scope="col" className="num">
            Found
          </th>
          <th scope="col" className="num">
            Of unknown people
          </th>
        </tr>
      </thead>
      <tbody>
        {KINDS.map(([kind, , name]) => (
          <tr key={kind}>
            <th scope="row" className="text-left font-normal">
              {name}
            </th>
            <td className="num" data-name="Found">
              {formatCount(counts[kind])}
            </td>
            <td className="num" data-name="Of unknown people">
              {formatCount(shared[kind])}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Whom an erasure may also touch, and the choice. */
function Shared({
  shared,
  byAddressAlone,
  isSpared,
  onSpare,
}: {
  shared: ErasureCounts;
  byAddressAlone: boolean;
  isSpared: boolean;
  onSpare: (isSpared: boolean) => void;
}) {
  if (isNothing(shared))
    return (
      <p className="meta pt-3">
        {byAddressAlone
          ? 'By the address alone, these are the records of everybody there, whom nothing tells apart.'
          : 'No records of unknown people share an address with them.'}
      </p>
    );
  const choices = [
    [false, 'Erase them too', 'They may be theirs: a tap or a phone that was never identified.'],
    [true, 'Leave them', 'They may be those of other people: a household, an office, a mobile network.'],
  ] as const;
  return (
    <fieldset className="pt-4">
      <legend className="font-semibold">{inWords(shared)} of unknown people share this address</legend>
      {choices.map(([value, name, help]) => (
        <label key={name} className="flex items-start gap-2 py-1">
          <input
            type="radio"
            name="shared"
            className="mt-1 flex-none"
            checked={isSpared === value}
            onChange={() => onSpare(value)}
          />
          <span>
            {name}
            <span className="meta block">{help}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
