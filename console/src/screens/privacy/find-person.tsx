import { erasePerson } from '@generated/sdk.gen.ts';
import type { ErasureCounted } from '@generated/types.gen.ts';
import { useChange } from '../../api/use-change.ts';
import { Field } from '../../components/field.tsx';
import { Section } from '../../components/page.tsx';
import { Refusal } from '../../components/pane.tsx';
import { type Found, type Person, personOf } from './person.ts';

/** Whom a request is about; nothing is changed by finding the records. */
export function FindPerson({ onFound }: { onFound: (found: Found | null) => void }) {
  const change = useChange(
    async (client, person: Person) =>
      (await erasePerson({ client, body: { ...person, dryRun: true }, throwOnError: true })).data,
    (answer, person) => onFound({ person, counted: answer as ErasureCounted }),
  );
  return (
    <Section title="A person’s records">
      <form
        className="grid max-w-[428px] gap-4 pt-4"
        // What was found is no longer that of the fields.
        onInput={() => onFound(null)}
        onSubmit={(event) => {
          event.preventDefault();
          change.run(personOf(event.currentTarget));
        }}
      >
        <Field
          label="User ID"
          name="userId"
          isMono
          maxLength={255}
          help="As the app sends it with identify."
        />
        <Field
          label="IP address"
          name="ipAddress"
          isMono
          maxLength={64}
          help="One of both is enough. By an address alone, everything from it is found, of everybody there: give the user ID if you know it."
        />
        <Field
          label="Who asks"
          name="requesterEmail"
          type="email"
          maxLength={255}
          help="An email address, optional. The audit log keeps it."
        />
        <Refusal error={change.error} />
        <div className="flex flex-wrap items-center gap-3">
          <button type="submit" className="btn btn-main" aria-disabled={change.isRunning}>
            Find the records
          </button>
          <span className="meta" role="status">
            {change.isRunning ? 'Counting …' : 'This changes nothing.'}
          </span>
        </div>
      </form>
    </Section>
  );
}
