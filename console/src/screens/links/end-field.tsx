import { type ComponentProps, useState } from 'react';
import { Choice, Field } from '../../components/field.tsx';

/** Read by `readEnd`. */
export function EndField({ options }: Pick<ComponentProps<typeof Choice>, 'options'>) {
  const [end, setEnd] = useState('');
  return (
    <>
      <Choice
        label="End"
        name="end"
        value={end}
        options={options}
        onChange={({ target }) => setEnd(target.value)}
      />
      {end === 'days' && (
        <Field label="Days from now" name="days" type="number" min={1} max={3650} required />
      )}
      {end === 'day' && <Field label="Last day" name="day" type="date" required />}
    </>
  );
}
